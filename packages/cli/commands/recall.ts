/** `loomlog recall QUERY`: the evidence for a question as an agent gets it, with the source of each number below it. */
import type { ContextOptions, Memory, RecalledMemories, RecallOptions } from '@loomlog/client/memory'
import { dirOption } from '@loomlog/host/dir-option'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { recallParameters, requestFrom, type TextParameters } from '@loomlog/recall/parameters'
import type { Evidence, RecallResult } from '@loomlog/recall/recall-result'
import { spaceKey } from '@loomlog/schemas/ids'
import {
  cell,
  count,
  dateTimeText,
  faint,
  type Output,
  print,
  printable,
  printJson,
  printNotice,
  printUnknownNames,
  withNameError,
} from '../print.ts'
import { printCandidates, printQuestionAnalysis } from '../recall-explanation.ts'

export interface RecallCommand extends Output {
  readonly query: string
  readonly place: SpaceAddress
  /** Options of the command; those that are no text parameter of a recall are left out. */
  readonly options: TextParameters
  readonly more: RecallOptions
}

/** @param host null: a server replied, and its own pipeline derives */
export async function recall(
  { query, place, options, more, json }: RecallCommand,
  memory: Memory,
  host: Pick<Host, 'config'> | null,
): Promise<void> {
  const parameters: RecallOptions = { ...parametersOf(options, recallParameters), ...more }
  const recalled = await memory.space(place.space).recall(query, parameters)
  printSteps(recalled)
  if (host !== null && recalled.behind !== undefined) printBehind(host)
  else printRebuilds(recalled)
  printUnknownNames(recalled)
  if (json) return printJson(withNameError(recalled))
  printRecalled(
    recalled,
    [place.space, ...(more.also ?? [])].map((name) => spaceKey(place.tenant, name)),
  )
}

/** The parameters among the options, checked. @throws LoomlogError `input-invalid`, with the option */
export function parametersOf<T extends RecallOptions | ContextOptions>(
  options: TextParameters,
  names: readonly string[],
): T {
  const given = Object.entries(options).filter(([name]) => names.includes(name))
  requestFrom(Object.fromEntries(given), [], optionOf)
  return Object.fromEntries(
    given.map(([name, value]) => [name, numbers.has(name) ? Number(value) : value]),
  ) as unknown as T
}

const numbers: ReadonlySet<string> = new Set(['limit', 'budget', 'wait'])

/** The option's name on the command line: `trueAt` is `--true-at`. */
function optionOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** Prints the steps of a search by a model. */
function printSteps({ steps = [], stopped = 'finished' }: RecalledMemories): void {
  for (const { tool, input, shown } of steps) printNotice(`${cell(tool)} ${cell(input)}: ${shown}`)
  if (stopped === 'unnamed') printNotice('the model named no evidence: the result is everything that it read')
  else if (stopped !== 'finished')
    printNotice(`the model reached its limit of ${stopped}: the result is everything that it read`)
}

/** The newest utterances were found in the log, so only memories derived from them may be missing. */
function printBehind({ config }: Pick<Host, 'config'>): void {
  printNotice(
    'loomlog: the views are behind the log: memories derived from its newest records may be missing; ' +
      `loomlog up${dirOption(config)} derives them`,
  )
}

function printRebuilds({ rebuilding = [] }: Pick<RecallResult, 'rebuilding'>): void {
  for (const { topic, partition, reached, end } of rebuilding)
    printNotice(
      `loomlog: the view of ${topic}/${partition} is being rebuilt (${count(reached)} of ${count(end)} records): memories may be ` +
        'missing; the newest utterances are found in the log',
    )
}

function printRecalled(recalled: RecalledMemories, spaces: readonly string[]): void {
  const { answer, understood, unsearched, logAway, failed, memories, text, candidates = [] } = recalled
  if (answer?.answer)
    print(`${cell(answer.answer)} ${faint(`(by ${answer.by}, from ${answer.cites.map(cell).join(', ')})`)}\n`)
  else if (answer) print(`no answer: ${cell(answer.why ?? '')}\n`)
  if (unsearched) print(`the views are behind: about ${count(unsearched)} records were not searched\n`)
  if (logAway) print(`the newest utterances may be missing: ${logAway}\n`)
  printFailures(failed)
  if (understood) printQuestionAnalysis(understood)
  if (memories.length === 0) print(`nothing found in ${spaces.join(', ')}`)
  else printEvidence({ items: memories, text })
  if (candidates.length > 0) printCandidates(candidates)
}

export function printEvidence({ items, text }: Pick<RecallResult, 'items' | 'text'>): void {
  print(printable(text))
  for (const [at, item] of items.entries()) print(faint(cited(at + 1, item)))
}

/** The source line of an item. */
function cited(
  number: number,
  { kind, id, at, score, sources, replacedBy, outdated, retractedBy, traces = [] }: Evidence,
): string {
  const from = kind === 'utterance' ? '' : `, from ${sources.map(cell).join(', ')}`
  const extent = outdated === undefined ? 'since changed' : 'partly changed since'
  const changed = replacedBy ? `, ${extent}: see ${replacedBy.map(cell).join(', ')}` : ''
  const retracted = retractedBy ? `, retracted by ${retractedBy.map(cell).join(', ')}` : ''
  const timelines = traces.map(({ id, position, events }) => `, ${position} of ${events} in trace ${id}`).join('')
  const when = at === null ? '' : `, ${dateTimeText(at)}`
  return `${number}  ${kind} ${cell(id)}${when}, ${score.toFixed(2)}${from}${timelines}${changed}${retracted}`
}

/** The memories that a recall or a context left out because reading them failed. */
export function printFailures(failed: RecallResult['failed'] = []): void {
  for (const { kind, id, why } of failed)
    print(printable(`left out, because reading it failed: ${kind} ${id} (${why})\n`))
}
