/**
 * The verdict on a disturbed flow. It compares the writers' histories with the log and the derived events. It also
 * compares the derived events and the views with those of an undisturbed run on the embedded log, on a copy of the same
 * log.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Environment, loomlog } from '../pipeline/loomlog.ts'
import { type Attempt, check, type DerivedUtterance, type Finding, type StoredRecord } from './checker.ts'
import type { Instance } from './instance.ts'
import type { LogKind } from './scenario.ts'
import { type Status, viewDump } from './views.ts'

export interface FlowResult {
  readonly findings: readonly (Finding | { readonly kind: 'differs' | 'ended'; readonly detail: string })[]
  readonly attempts: { readonly acknowledged: number; readonly failed: number; readonly unknown: number }
  readonly dump: { readonly lines: number; readonly viewRows: number }
  /** The number of fenced writes. */
  readonly fenced: number
  /** Log messages of the instances, with their counts. */
  readonly warnings: { readonly [message: string]: number }
}

/** The log and the folders of a flow that has ended. */
export interface FlowResults {
  /** The folder for the undisturbed run. */
  readonly folder: string
  readonly dir: string
  readonly environment: Environment
  readonly log: LogKind
  /** The environment of the undisturbed run, on the embedded log. */
  readonly undisturbed: Environment
  /** The status when everything was derived. */
  readonly status: Status
}

interface TailLine {
  readonly key: string
  readonly partition: number
  readonly offset: number
  readonly event: { readonly type: string; readonly id: string }
}

interface DumpedEvent {
  readonly space: string
  readonly event: {
    readonly type: string
    readonly utterances?: readonly { readonly id: string; readonly seq: number }[]
  }
}

export async function flowResultOf(
  results: FlowResults,
  attempts: readonly Attempt[],
  instances: readonly Instance[],
): Promise<FlowResult> {
  // One after the other: a failure must not leave the other run at work in a folder that is removed.
  const { stored, derived, dump, views } = await evidence(results)
  const undisturbed = await undisturbedDumps(results)
  const ended = instances.flatMap((instance) => instance.ended.map((detail) => ({ kind: 'ended' as const, detail })))
  const findings = [
    ...check({ attempts, stored, derived }),
    ...differences('the derived memory', dump, undisturbed.dump),
    ...differences('the views', views, undisturbed.views),
    ...ended,
  ]
  const count = (outcome: Attempt['outcome']) => attempts.filter((attempt) => attempt.outcome === outcome).length
  return {
    findings,
    attempts: { acknowledged: count('acknowledged'), failed: count('failed'), unknown: count('unknown') },
    dump: { lines: dump.length, viewRows: views.length },
    fenced: instances.reduce((times, { timesFenced }) => times + timesFenced, 0),
    warnings: messages(instances.flatMap(({ warnings }) => warnings)),
  }
}

/** The records of the log, the first stage's events, and the dumps. */
async function evidence({ dir, environment, status }: FlowResults) {
  const stored = await storedIn(dir, environment)
  const dump = await linesOf(['dump', '--json', '--dir', dir], environment)
  const derived: DerivedUtterance[] = dump
    .map((line) => JSON.parse(line) as DumpedEvent)
    .filter(({ event }) => event.type === 'BoxSealed')
    .flatMap(({ space, event }) => (event.utterances ?? []).map(({ id, seq }) => ({ space, id, seq })))
  return { stored, derived, dump, views: await viewDump(dir, environment, status) }
}

async function storedIn(dir: string, environment: Environment): Promise<readonly StoredRecord[]> {
  const lines = await linesOf(['tail', 'utterances', '--dir', dir], environment)
  return lines
    .map((line) => JSON.parse(line) as TailLine)
    .flatMap(({ key, partition, offset, event }) =>
      event.type === 'UtteranceAppended' ? [{ space: key, id: event.id, partition, offset }] : [],
    )
    .sort((a, b) => a.partition - b.partition || a.offset - b.offset)
}

/** Copies the log into an embedded one and derives it there without disturbance. */
async function undisturbedDumps({ folder, dir, environment, log, undisturbed, status }: FlowResults) {
  const embedded = join(folder, 'undisturbed')
  const from = log === 'kafka' ? `kafka:${environment.LOOMLOG_KAFKA_BROKERS}` : `sqlite:${dir}`
  await linesOf(['log', 'copy', '--from', from, '--to', `sqlite:${embedded}`], environment)
  const nothing = join(folder, 'nothing.jsonl')
  await writeFile(nothing, '')
  await linesOf(['ingest', nothing, '--dir', embedded], undisturbed)
  const dump = await linesOf(['dump', '--json', '--dir', embedded], undisturbed)
  return { dump, views: await viewDump(embedded, undisturbed, status) }
}

async function linesOf(args: readonly string[], environment: Environment): Promise<readonly string[]> {
  const { code, stdout, stderr } = await loomlog(args, environment)
  if (code !== 0) throw new Error(`loomlog ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout.split('\n').filter((line) => line !== '')
}

/** Log lines by their message. Numbers are removed, since they would make every line different. */
function messages(lines: readonly string[]): FlowResult['warnings'] {
  const counts: Record<string, number> = {}
  for (const line of lines) {
    const message = /"msg":"([^"]*)"/.exec(line)?.[1]?.replaceAll(/\d+/g, '#').slice(0, 160)
    if (message !== undefined) counts[message] = (counts[message] ?? 0) + 1
  }
  return counts
}

/** The first lines in which two dumps differ. */
function differences(subject: string, found: readonly string[], expected: readonly string[]) {
  const at = expected.findIndex((line, n) => found[n] !== line)
  if (at === -1 && found.length === expected.length) return []
  const line = at === -1 ? expected.length : at
  const parts = [`line ${line} is ${found[line] ?? 'missing'}`, `undisturbed it is ${expected[line] ?? 'missing'}`]
  const sizes = `${found.length} lines, undisturbed ${expected.length}`
  return [{ kind: 'differs' as const, detail: `${subject}: ${sizes}; ${parts.join('; ')}` }]
}
