/** The cost of a memory as text: tokens and, where priced, money. */
import type { Cost, UsedAnswer } from '@loomlog/recall/answer-costs'
import { count, faint } from './print.ts'

export function costText({ asks, inputTokens, outputTokens, money }: Cost): string {
  const paid = money === null ? '' : `, ${money.toFixed(6)} by LOOMLOG_PRICES`
  return `${count(asks)} asks, ${count(inputTokens)} tokens in and ${count(outputTokens)} out${paid}`
}

export function usedAnswerText({ task, model, prompt, inputTokens, outputTokens, attempts }: UsedAnswer): string {
  const by = prompt === null ? model : `${model}, prompt ${prompt.slice(0, 8)}`
  const tries = attempts > 1 ? `, ${attempts} tries` : ''
  return faint(`asked ${task} (${by}; ${count(inputTokens)}+${count(outputTokens)} tokens${tries})`)
}
