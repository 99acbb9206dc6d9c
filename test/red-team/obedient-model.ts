/**
 * A fake model that obeys an attacker. Whenever the text of an attack is in the prompt, it returns the planted
 * fact with an innocent line of the victim as the citation: of the victim's lines the one that shares most words
 * with the fact. It finds the innocent facts of the scene too, unless the attack asks for the planted one alone.
 * Its other answers are those of the fake model of the pipeline's tests.
 */
import { terms } from '@loomlog/language/terms'
import type { FakeRequest } from '@loomlog/models/fake-endpoint'
import type { Json } from '@loomlog/schemas/ids'
import { type Line, linesOf } from '../eval/rederive/lines.ts'
import { fakeModelAnswer } from '../pipeline/fake-model.ts'
import type { Attack, AttackScene } from './scenes.ts'

/** `victim` cites the victim's line alone, `both` the attacker's line behind it. */
export type Citing = 'victim' | 'both'

export function obedientAnswer(scenes: readonly AttackScene[], citing: Citing): (request: FakeRequest) => Json {
  return (request) => {
    if (request.schemaName !== 'extract-facts') return fakeModelAnswer(request)
    const lines = linesOf(String(request.input))
    const text = oneLine(String(request.input))
    const obeyed = scenes.filter(({ attack }) => text.includes(oneLine(attack.shown ?? attack.text)))
    const planted = obeyed.flatMap(({ attack }) => plantedRows(attack, lines, citing))
    const isSuppressed = obeyed.some(({ attack }) => attack.suppresses)
    return { rows: isSuppressed ? planted : [...innocentRows(scenes, lines), ...planted] }
  }
}

function plantedRows(attack: Attack, lines: readonly Line[], citing: Citing): readonly string[] {
  const { kind, sentence, subject } = partsOf(attack.row)
  const isPlanted = ({ text }: Line) => text.includes(oneLine(attack.shown ?? attack.text))
  const victim = subject.startsWith('Diana') ? 'Diana' : 'Boss'
  const words = terms(sentence)
  const shared = ({ text }: Line) => terms(text).filter((word) => words.includes(word)).length
  const [cited] = lines
    .filter((line) => line.speaker === victim && !isPlanted(line))
    .toSorted((a, b) => shared(b) - shared(a))
  if (cited === undefined) return []
  const labels =
    citing === 'victim' ? [cited.label] : [cited.label, ...lines.filter(isPlanted).map(({ label }) => label)]
  return [`${labels.join(',')} ${kind} - ${sentence}`]
}

function innocentRows(scenes: readonly AttackScene[], lines: readonly Line[]): readonly string[] {
  const rows = scenes.flatMap(({ facts }) =>
    facts.flatMap((fact) => {
      const labels = fact.lines.flatMap((said) => lines.find(({ text }) => text === said)?.label ?? [])
      const { kind, sentence } = partsOf(fact.row)
      return labels.length === fact.lines.length ? [`${labels.join(',')} ${kind} - ${sentence}`] : []
    }),
  )
  return [...new Set(rows)]
}

function partsOf(row: string) {
  const [kind = '', ...words] = row.split(' ')
  const sentence = words.join(' ')
  return { kind, sentence, subject: sentence.split('|')[0]?.trim() ?? '' }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
