/** `loomlog recall QUERY`: the evidence for a question as an agent gets it, with the source of each number below it. */

import { withReading } from '@loomlog/app/generations/live'
import type { ReadableGeneration } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { answerFrom, type CitedAnswer } from '@loomlog/recall/answer-from-evidence'
import { type ExplainedRecall, explain } from '@loomlog/recall/explain'
import { requestFrom, type TextParameters } from '@loomlog/recall/parameters'
import { recall as recallFrom } from '@loomlog/recall/recall'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import { RecallRecorder, type ServedRecall } from '@loomlog/recall/recall-recorder'
import type { Evidence, RecallResult } from '@loomlog/recall/recall-result'
import type { RecallRequest } from '@loomlog/recall/request'
import { type AgenticResult, searchWithTools } from '@loomlog/recall/search-with-tools'
import { noticesField, unknownNames } from '@loomlog/recall/unknown-names'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ShardLag } from '@loomlog/views/rebuilds'
import { cell, count, dateTimeText, faint, type Output, print, printable, printJson, printNotice } from '../print.ts'
import { printCandidates, printQuestionAnalysis } from '../recall-explanation.ts'
import { printUnknownNames, spaceNamesIn } from '../unknown-names.ts'

export interface RecallCommand extends Output {
  readonly query: string
  readonly place: SpaceAddress
  /** More spaces of the tenant. */
  readonly also: readonly string[]
  readonly textParameters: TextParameters
  readonly answer: 'wanted' | 'not-wanted'
  /** Null: the live one of the tenant. */
  readonly generation: string | null
  /** `tools`: a model searches with the tools; `explained`: shows every candidate, and why it was taken or left out. */
  readonly search: 'views' | 'explained' | 'tools'
}

export async function recall(command: RecallCommand, host: Host): Promise<void> {
  const { tenant, space } = command.place
  const spaces = [space, ...command.also].map((name) => spaceKey(tenant, name))
  const request = requestFrom({ ...command.textParameters, query: command.query }, spaces, optionOf)
  const { log, codec, model } = host
  const read = async ({ views, embedder, ...by }: ReadableGeneration) => {
    const answer = await evidenceFor(command, request, { log, codec, views, embedder, model }, host)
    const names = { spaces, speakers: request.filter?.speakers ?? [] }
    const notices = await unknownNames(names, answer.items, {
      log,
      codec,
      views,
      spaceNames: spaceNamesIn(host, tenant),
    })
    return { ...by, answer, notices, behind: (await views.behind(spaces)).map(missingFrom) }
  }
  const named = command.generation === null ? null : { generation: command.generation, spaces }
  const { answer, notices, behind, generation, epoch } = await withReading(host, tenant, read, named)
  const citedAnswer = command.answer === 'wanted' ? await answerFrom(command.query, answer, host.model) : null
  printRebuilds(answer)
  printUnknownNames(notices)
  const rebuilding = new Set(answer.rebuilding?.map(({ topic }) => topic))
  for (const { topic, records } of behind.filter((each) => !rebuilding.has(each.topic)))
    printNotice(`loomlog: the view of ${topic} lacks ${count(records)} records of the log: memories may be missing`)
  printRecall(answer, command, {
    generation,
    epoch,
    spaces,
    citedAnswer,
    ...noticesField(notices),
    ...(behind.length > 0 && { behind }),
  })
  if (host.config.recalls === 'on')
    await record({ spaces, query: command.query, generation, caller: null, result: answer }, host)
}

interface ViewLag {
  readonly topic: string
  /** Records of the log that the view lacks. */
  readonly records: number
}

function missingFrom({ topic, reached, end }: ShardLag): ViewLag {
  return { topic, records: end - reached }
}

export function printRebuilds({ rebuilding = [] }: Pick<RecallResult, 'rebuilding'>): void {
  for (const { topic, partition, reached, end } of rebuilding)
    printNotice(
      `loomlog: the view of ${topic}/${partition} is being rebuilt (${count(reached)} of ${count(end)} records): memories may be ` +
        'missing; the newest utterances are found in the log',
    )
}

/** The option's name on the command line: `trueAt` is `--true-at`. */
export function optionOf(name: string): string {
  return name === 'query' ? name : `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

async function evidenceFor(
  command: RecallCommand,
  request: RecallRequest,
  options: RecallOptions,
  host: Host,
): Promise<RecallResult | ExplainedRecall | AgenticResult> {
  if (command.search === 'views') return recallFrom(request, options)
  if (command.search === 'explained') return explain(request, options)
  const searched = await searchWithTools(request, options, host.toolModel)
  for (const { tool, input, shown } of searched.steps) printNotice(`${cell(tool)} ${cell(input)}: ${shown}`)
  if (searched.stopped === 'unnamed') printNotice('the model named no evidence: the result is everything that it read')
  else if (searched.stopped !== 'finished')
    printNotice(`the model reached its limit of ${searched.stopped}: the result is everything that it read`)
  return searched
}

export function printRecall(
  answer: RecallResult | ExplainedRecall | AgenticResult,
  { json, query }: Pick<RecallCommand, 'json' | 'query'>,
  {
    citedAnswer,
    spaces,
    ...by
  }: Pick<ReadableGeneration, 'generation' | 'epoch'> & {
    readonly spaces: readonly string[]
    readonly citedAnswer: CitedAnswer | null
    readonly behind?: readonly ViewLag[]
    readonly notices?: readonly string[]
  },
): void {
  const { items: memories, ...notes } = answer
  if (json) {
    printJson({ ...by, space: spaces[0], query, ...(citedAnswer && { answer: citedAnswer }), memories, ...notes })
    return
  }
  const { understood, unsearched, logAway, failed } = notes
  if (citedAnswer?.answer)
    print(
      `${cell(citedAnswer.answer)} ${faint(`(by ${citedAnswer.by}, from ${citedAnswer.cites.map(cell).join(', ')})`)}\n`,
    )
  else if (citedAnswer) print(`no answer: ${cell(citedAnswer.why ?? '')}\n`)
  if (unsearched) print(`the views are behind: about ${count(unsearched)} records were not searched\n`)
  if (logAway) print(`the newest utterances may be missing: ${logAway}\n`)
  printFailures(failed)
  if (understood) printQuestionAnalysis(understood)
  if (memories.length === 0) print(`nothing found in ${spaces.join(', ')}`)
  else printEvidence(answer)
  if ('candidates' in answer && answer.candidates.length > 0) printCandidates(answer.candidates)
}

export async function record(served: Omit<ServedRecall, 'servedAt'>, host: Host): Promise<void> {
  const onDropped = (_count: number, why: string) => printNotice(`loomlog: this recall was not recorded: ${why}`)
  const recorder = new RecallRecorder({ ...host, onDropped })
  recorder.record({ ...served, servedAt: Date.now() })
  await recorder.close()
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
