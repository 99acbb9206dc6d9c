/**
 * The candidates of a recall as a table: the contribution of each part of recall, in log-odds, and why a candidate was
 * taken or left out.
 */
import { featureParts } from '@loomlog/recall/contribution'
import { type ExplainedCandidate, sumOfPart } from '@loomlog/recall/explain'
import type { QuestionAnalysis } from '@loomlog/recall/question-analysis'
import { cell, faint, heading, print, table } from './print.ts'

/** Rows of the table; `--json` has all. */
const maxRows = 40
const maxTextChars = 60

const outcomes = {
  taken: 'taken',
  limit: 'left out: others ranked higher',
  budget: 'left out: did not fit',
  unlikely: 'left out: too unlikely',
} as const

/** Prints the analysis of the question: its requirements, queries, names, time and place. */
export function printQuestionAnalysis({ by, note, requires, queries, ...named }: QuestionAnalysis): void {
  const { keywords, persons, entities, time, location } = named
  const lists = { requires, queries: queries.slice(1), keywords, persons, entities, time: [time], location: [location] }
  const filled = Object.entries(lists).map(([name, list]) => [name, list.filter((each) => each !== null).join(', ')])
  const texts = filled.filter(([, list]) => list !== '').map(([name, list]) => `${name}: ${list}`)
  print(faint(cell(`understood by ${by}${note === null ? '' : ` (${note})`}: ${texts.join('; ')}`)))
}

export function printCandidates(candidates: readonly ExplainedCandidate[]): void {
  const shown = candidates.slice(0, maxRows)
  const rows = shown.map((candidate) => [
    candidate.score.toFixed(3),
    String(candidate.tokens),
    ...featureParts.map((part) => figure(sumOfPart(part, candidate))),
    outcomes[candidate.outcome],
    beginning(candidate.text),
  ])
  const [head = '', ...lines] = table([['score', 'tokens', ...featureParts, 'outcome', 'text'], ...rows]).split('\n')
  print(`\n${heading(head)}`)
  for (const line of lines) print(line)
  const more = candidates.length - shown.length
  if (more > 0) print(faint(`and ${more} more: --json shows them, feature by feature`))
}

function figure(value: number): string {
  return value === 0 ? '' : value.toFixed(2)
}

function beginning(text: string): string {
  const flat = cell(text)
  return flat.length <= maxTextChars ? flat : `${flat.slice(0, maxTextChars).toWellFormed()}…`
}
