/**
 * Serving during a re-derivation. Readers recall in a loop, and writers append utterances: first alone, then while a
 * generation is derived beside the live one, promoted, and rolled back. It counts failed answers, answers without a
 * generation, and answers from an older epoch than the reader's previous one. It compares the time until a view has an
 * utterance between both phases; the first requests, on a cold process, count in neither.
 */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loomlog, startProgram } from '../../pipeline/loomlog.ts'
import { usualLatencyMs, type World } from './world.ts'

const warmUpMs = 15_000
const quietMs = 60_000
const settleMs = 5_000
const readerCount = 2
/** Each writer has a space of its own. A 99th percentile needs a hundred utterances in each phase. */
const writerCount = 2
/** Pause of a reader: without it, readers would keep two cores busy. */
const betweenRecallsMs = 1_000
/** Poll interval of the cheap requests that watch for the rollback. */
const epochPollMs = 50
const betweenUtterancesMs = 200
/** A refused command is retried for this long, because a promotion waits for the derivation. */
const mostTriesMs = 300_000
/** Pause between two tries, because a command takes a second of a core. */
const betweenTriesMs = 15_000
/** A change that rebuilds every stage and view, with few new asks. */
const change = ['--set', 'topic-loom.maxUtterances=12']

interface RecallReply {
  readonly at: number
  readonly generation: string | null
  readonly epoch: number
}

export async function measureReaders(world: World, first: string) {
  const dir = join(world.dir, 'readers')
  await cp(first, dir, { recursive: true })
  world.setLatency(usualLatencyMs)
  const environment = { ...world.environment, LOOMLOG_DIR: dir }
  const running = startProgram(['up', '--port', '0', '--json'], environment)
  const url = await new Promise<string>((resolve, reject) => {
    running.process.stdout?.on('data', (text) => resolve((JSON.parse(String(text)) as { url: string }).url))
    void running.finished.then(({ stderr }) => reject(new Error(stderr)))
  })
  const over = new AbortController()
  const answers: RecallReply[][] = Array.from({ length: readerCount }, () => [])
  const failures: string[] = []
  const epochs: Pick<RecallReply, 'at' | 'epoch'>[] = []
  const freshness: { readonly at: number; readonly ms: number }[] = []
  const writers = Array.from({ length: writerCount }, (_, n) => writing(url, `live-${n}`))
  const loops = [...answers.map((own) => reading(url, own)), ...writers]
  const command = async (...args: readonly string[]) => {
    const run = await loomlog([...args, '--json'], environment)
    return {
      code: run.code,
      printed: JSON.parse(run.stdout.trim().split('\n').at(-1) || 'null') as Record<string, unknown>,
      why: run.stderr,
    }
  }
  const until = async (...args: readonly string[]) => {
    for (const deadline = Date.now() + mostTriesMs; ; await sleep(betweenTriesMs)) {
      const { code, why } = await command(...args)
      if (code === 0) return
      if (code !== 1 || Date.now() > deadline) throw new Error(`${args.join(' ')}: ${why}`)
    }
  }

  async function reading(at: string, own: RecallReply[]): Promise<void> {
    while (!over.signal.aborted) {
      const answer = await fetch(`${at}/v1/spaces/live-0/recall?query=zebra`).catch((error: Error) => error)
      if (answer instanceof Error || answer.status !== 200)
        failures.push(String(answer instanceof Error ? answer : answer.status))
      else own.push({ at: Date.now(), ...((await answer.json()) as Omit<RecallReply, 'at'>) })
      await sleep(betweenRecallsMs)
    }
  }

  async function watchingEpoch(at: string): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const browse = { method: 'POST', headers, body: JSON.stringify({ limit: 1 }) }
    while (!over.signal.aborted) {
      const answer = await fetch(`${at}/v1/spaces/live-0/tools/browse_ids`, browse)
      epochs.push({ at: Date.now(), epoch: ((await answer.json()) as RecallReply).epoch })
      await sleep(epochPollMs)
    }
  }

  async function writing(at: string, space: string): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const send = (path: string, body: object) =>
      fetch(`${at}/v1/spaces/${space}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    for (let n = 0; !over.signal.aborted; n += 1) {
      const utterance = {
        conversation: 'c',
        speaker: 'Ada',
        role: 'human',
        at: new Date().toISOString(),
        text: `The zebra ${n}.`,
      }
      const posted = await send('utterances', utterance)
      const { position } = (await posted.json()) as { position: object }
      const from = performance.now()
      const seen = await send('recall', { query: `zebra ${n}`, limit: 1, after: position, wait: 30_000 })
      if (posted.status !== 201 || seen.status !== 200) failures.push(`${posted.status} ${seen.status}`)
      freshness.push({ at: Date.now(), ms: performance.now() - from })
      await sleep(betweenUtterancesMs)
    }
  }

  try {
    await sleep(warmUpMs)
    const quietFrom = Date.now()
    await sleep(quietMs)
    const busyFrom = Date.now()
    const { printed } = await command('generation', 'start', ...change, '--name', 'shorter')
    await until('generation', 'promote', 'shorter')
    const promotedAt = Date.now()
    await sleep(settleMs)
    loops.push(watchingEpoch(url))
    await until('generation', 'rollback')
    await sleep(settleMs)
    over.abort()
    await Promise.all(loops)
    const events = (await loomlog(['tail', 'generations', '--dir', dir], environment)).stdout.trim().split('\n')
    const rolledBack = events
      .map((line) => (JSON.parse(line) as { event: { cause?: string; at: number } }).event)
      .findLast(({ cause }) => cause === 'rolledBack')
    const all = answers.flat().sort((a, b) => a.at - b.at)
    const newest = Math.max(...all.map(({ epoch }) => epoch))
    const seen = epochs.find(({ epoch }) => epoch === newest)
    const quiet = freshness.filter(({ at, ms }) => at - ms >= quietFrom && at < busyFrom).map(({ ms }) => ms)
    const busy = freshness.filter(({ at }) => at >= busyFrom).map(({ ms }) => ms)
    return {
      started: printed?.generation ?? null,
      derivedSeconds: (promotedAt - busyFrom) / 1_000,
      answers: all.length,
      failures,
      withoutGeneration: all.filter(({ generation }) => generation === null).length,
      wentBack: answers.reduce((sum, own) => sum + backwards(own), 0),
      generations: [...new Set(all.map(({ generation, epoch }) => `${epoch}: ${generation}`))],
      rollbackVisibleMs: (seen?.at ?? Number.NaN) - (rolledBack?.at ?? Number.NaN),
      freshnessMs: { quiet: spread(quiet), busy: spread(busy), ratioP99: spread(busy).p99 / spread(quiet).p99 },
    }
  } finally {
    over.abort()
    running.process.kill('SIGINT')
    await running.finished
  }
}

/** Number of answers from an older state than the same reader's previous answer. */
function backwards(own: readonly RecallReply[]): number {
  return own.filter(({ epoch }, index) => epoch < (own[index - 1]?.epoch ?? 0)).length
}

function spread(all: readonly number[]) {
  const sorted = [...all].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) }
}
