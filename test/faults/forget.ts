/**
 * A speaker is forgotten, and the process is killed at every crash point of the forgetting and continued. Promises: no
 * file holds a word of the speaker, nor of memories from their words; another space is as before; the certificate
 * verifies, and a changed byte fails it; an utterance that is put back is found.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CrashPoint, forgettingCrashPoints } from '@loomlog/log/crash-points'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { type Environment, loomlog, type ProcessResult, startProgram } from '../pipeline/loomlog.ts'
import { answerWithCanaries, canariesIn, canaryLines, canarySpeaker, type FoundCanary } from './canaries.ts'
import { heapCanaries } from './heap-canaries.ts'
import type { Scenario, Setting } from './scenario.ts'

export const forget: Scenario = {
  name: 'forget',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: 'a speaker is forgotten, killed at every crash point: no file holds a byte of theirs',
  run: async (setting) => {
    const onKafka = setting.kind === 'kafka'
    const outcomes = [await withMemory('on', setting, played)]
    if (!onKafka) outcomes.push(await withMemory('off', setting, played))
    // Last, since Kafka keeps what is plain.
    const plain = onKafka ? await withMemory('off', setting, refused) : null
    return { isKept: outcomes.every(isKept) && (plain === null || isRefused(plain)), details: { outcomes, plain } }
  },
}

interface Outcome {
  readonly encryption: 'on' | 'off'
  /** Files with canaries before the forgetting; a plain log has some, or the search proves nothing. */
  readonly filesBefore: number
  readonly killedAt: readonly CrashPoint[]
  readonly found: readonly FoundCanary[]
  readonly foundInHeap: readonly string[]
  readonly isOtherSpaceEqual: boolean
  readonly verified: number | null
  readonly verifiedChanged: number | null
  readonly verifiedPutBack: number | null
}

function isKept(outcome: Outcome): boolean {
  const { encryption, filesBefore, killedAt, found, foundInHeap, isOtherSpaceEqual } = outcome
  const { verified, verifiedChanged, verifiedPutBack } = outcome
  const isGone = found.length === 0 && foundInHeap.length === 0 && (encryption === 'on' || filesBefore > 0)
  // 2: a changed certificate is none, and so wrong input.
  const isProven = verified === 0 && verifiedChanged === 2 && verifiedPutBack === 1
  return isGone && isProven && isOtherSpaceEqual && killedAt.length === forgettingCrashPoints.length
}

/** A plain log on Kafka: the canaries are in its files, or the search proves nothing, and a forgetting is refused. */
interface Refusal {
  readonly filesBefore: number
  readonly code: number | null
}

function isRefused({ filesBefore, code }: Refusal): boolean {
  return filesBefore > 0 && code === 2
}

const survivors = Array.from({ length: 9 }, (_, at) => `Number ${at}: the boat needs a new engine.`)

function lineOf(number: number, space: string, text: string) {
  const at = new Date(Date.UTC(2026, 2, number < 6 ? 1 : 2, 8, number)).toISOString()
  return { id: `${space}-${number}`, conversation: 'c', speaker: 'Ada', role: 'human', at, text }
}

async function withMemory<T>(
  encryption: 'on' | 'off',
  setting: Setting,
  play: (memory: Memory, play: Play) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-forget-'))
  const endpoint = await startFakeEndpoint({ answer: answerWithCanaries, dimensions: 16 })
  const environment: Environment = {
    LOOMLOG_MODEL: 'fake-model',
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
    LOOMLOG_API_KEY: 'fake-key',
    LOOMLOG_EMBEDDER: 'openai:fake-embedder',
    LOOMLOG_EMBEDDER_DIMENSIONS: '16',
    LOOMLOG_PARTITIONS: '1',
    LOOMLOG_SESSION_MS: String(setting.sessionMs),
    LOOMLOG_ENCRYPTION: encryption,
    ...(setting.kafka === null || encryption === 'off' ? {} : { LOOMLOG_ENCRYPTION_KEY: newKey() }),
    ...setting.log,
    LOOMLOG_KAFKA_ENVIRONMENT: `forget-${encryption}`,
  }
  const memory = new Memory(join(folder, 'memory'), environment, setting)
  try {
    return await play(memory, { folder, encryption, setting })
  } finally {
    await endpoint.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

interface Play {
  readonly folder: string
  readonly encryption: 'on' | 'off'
  readonly setting: Setting
}

async function played(memory: Memory, { folder, encryption, setting }: Play): Promise<Outcome> {
  const canaryFile = await fill(memory, folder)
  const other = await memory.dumpOf('other')
  const before = await memory.search()
  setting.say(`encryption ${encryption}: canaries in ${new Set(before.map(({ file }) => file)).size} files`)
  const { id, killedAt } = await forgetKilled(memory, setting)
  const certificate = join(folder, 'certificate.json')
  await writeFile(certificate, (await memory.run(['forget', 'certificate', id])).stdout)
  const found = await memory.search()
  setting.say(`forgotten; canaries found: ${JSON.stringify(found)}`)
  const isOtherSpaceEqual = (await memory.dumpOf('other')) === other
  const verified = (await memory.run(['forget', 'verify', certificate])).code
  const changed = join(folder, 'changed.json')
  await writeFile(changed, (await readFile(certificate, 'utf8')).replace(/"kept": ?(\d+)/, '"kept": 9$1'))
  const verifiedChanged = (await memory.tried(['forget', 'verify', changed])).code
  await memory.run(['ingest', canaryFile])
  const verifiedPutBack = (await memory.tried(['forget', 'verify', certificate])).code
  // The canaries are in the log again: a server forgets them, too.
  const foundInHeap = await heapCanaries(memory.dir, memory.environment)
  const foundAfterServer = await memory.search()
  const filesBefore = new Set(before.map(({ file }) => file)).size
  const proofs = { isOtherSpaceEqual, verified, verifiedChanged, verifiedPutBack }
  return { encryption, filesBefore, killedAt, found: [...found, ...foundAfterServer], foundInHeap, ...proofs }
}

async function refused(memory: Memory, { folder, setting }: Play): Promise<Refusal> {
  await fill(memory, folder)
  const filesBefore = new Set((await memory.search()).map(({ file }) => file)).size
  setting.say(`encryption off: canaries in ${filesBefore} files`)
  return { filesBefore, code: (await memory.tried(['forget', '--speaker', canarySpeaker, '--yes'])).code }
}

/** On Kafka the log has no folder for a key of its own. */
function newKey(): string {
  return randomBytes(32).toString('base64')
}

/** Returns the file with the canaries. */
async function fill(memory: Memory, folder: string): Promise<string> {
  const canaryFile = join(folder, 'canary.jsonl')
  await writeFile(canaryFile, canaryLines.map((line) => JSON.stringify(line)).join('\n'))
  for (const space of ['default', 'other']) {
    const file = join(folder, `${space}.jsonl`)
    await writeFile(file, survivors.map((text, at) => JSON.stringify(lineOf(at, space, text))).join('\n'))
    await memory.run(['ingest', file, '--space', space])
  }
  await memory.run(['ingest', canaryFile])
  await memory.run(['recall', 'Who has canarybirds, canaryquestion?'])
  const facts = (await memory.run(['tail', 'facts'])).stdout.split('\n').filter((line) => line.includes('canaryanswer'))
  const { event } = JSON.parse(facts[0] ?? 'null') as { readonly event: { readonly id: string } }
  const by = ['--by', canarySpeaker, '--reason', 'canaryreason']
  await memory.run(['correct', event.id, '--text', 'The canarywording is right.', ...by])
  await memory.run(['correct', '--add', 'A canaryaddition is right, too.', ...by])
  return canaryFile
}

/** Killed at each point in the order in which a forgetting passes them. */
async function forgetKilled(memory: Memory, { say }: Setting) {
  const [first, ...later] = forgettingCrashPoints
  const request = ['forget', '--speaker', canarySpeaker.toLowerCase(), '--yes']
  const requested = await memory.killedAt(first, request)
  const id = /forgetting ([0-9a-f]{32})/.exec(requested.stderr)?.[1] ?? (await memory.forgettingId())
  for (const point of later) {
    const startedAt = performance.now()
    await memory.killedAt(point, ['forget', 'certificate', id])
    say(`killed at ${point} after ${Math.round(performance.now() - startedAt)} ms`)
  }
  return { id, killedAt: forgettingCrashPoints }
}

class Memory {
  readonly dir: string
  readonly environment: Environment
  readonly #setting: Setting

  constructor(dir: string, environment: Environment, setting: Setting) {
    this.dir = dir
    this.environment = environment
    this.#setting = setting
  }

  async run(args: readonly string[]): Promise<ProcessResult> {
    const result = await this.tried(args)
    if (result.code !== 0) throw new Error(`${args[0]} ended with ${result.code}: ${result.stderr}`)
    return result
  }

  tried(args: readonly string[]): Promise<ProcessResult> {
    return loomlog([...args, '--dir', this.dir], this.environment)
  }

  async killedAt(point: CrashPoint, args: readonly string[]): Promise<ProcessResult> {
    const environment = { ...this.environment, LOOMLOG_CRASH_AT: point }
    const result = await startProgram([...args, '--dir', this.dir], environment).finished
    if (result.signal === 'SIGKILL') return result
    throw new Error(`${point} was never reached: the run ended with ${result.code}. ${result.stderr}`)
  }

  /** Of a request whose process died before it reported the id. */
  async forgettingId(): Promise<string> {
    const { stdout } = await this.run(['tail', 'forgettings', '--json'])
    const id = /"forgetting": ?"([0-9a-f]{32})"/.exec(stdout)?.[1]
    if (id === undefined) throw new Error(`there is no request in forgettings: ${stdout}`)
    return id
  }

  /** The lines of a space in the canonical dump. */
  async dumpOf(space: string): Promise<string> {
    const lines = (await this.run(['dump'])).stdout.split('\n').filter((line) => line.includes(`default/${space}`))
    if (lines.length === 0) throw new Error(`the dump has no line of ${space}`)
    return lines.join('\n')
  }

  async search(): Promise<readonly FoundCanary[]> {
    const { kafka } = this.#setting
    return [...(await canariesIn(this.dir)), ...(kafka === null ? [] : await canariesIn(kafka.dir))]
  }
}
