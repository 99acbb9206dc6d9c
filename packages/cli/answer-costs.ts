/** The cost of a memory as text: tokens and, where priced, money. */
import type { Cost, UsedAnswer } from '@loomlog/recall/answer-costs'
import { embed } from '@loomlog/runtime/step'
import { count, faint } from './print.ts'

export function costText({ asks, inputTokens, outputTokens, money }: Cost): string {
  const paid = money === null ? '' : `, ${money.toFixed(6)} by LOOMLOG_PRICES`
  return `${count(asks)} asks, ${count(inputTokens)} tokens in and ${count(outputTokens)} out${paid}`
}

/** A line for each answer; the embeddings of a model, of which a box may have hundreds, share a line. */
export function usedAnswerLines(asked: readonly UsedAnswer[]): readonly string[] {
  const groups = Map.groupBy(asked, (each) => (each.task === embed.name ? each.model : each.key))
  return [...groups.values()].map((group) => {
    const [first] = group
    return first === undefined || first.task !== embed.name ? group.map(usedAnswerText).join('') : embeddingsText(group)
  })
}

function embeddingsText(group: readonly UsedAnswer[]): string {
  const tokens = group.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
  const cost = tokens === 0 ? '' : ` (${count(tokens)} tokens)`
  return faint(`${count(group.length)} ${group.length === 1 ? 'embedding' : 'embeddings'} by ${group[0]?.model}${cost}`)
}

function usedAnswerText({ task, model, prompt, inputTokens, outputTokens, attempts }: UsedAnswer): string {
  const by = prompt === null ? model : `${model}, prompt ${prompt.slice(0, 8)}`
  const tries = attempts > 1 ? `, ${attempts} tries` : ''
  return faint(`asked ${task} (${by}; ${count(inputTokens)}+${count(outputTokens)} tokens${tries})`)
}
