/**
 * Follows a newer version of loomlog: where nobody has to be asked, because stages have only rules or
 * because every answer is recorded, what it derives is started beside what is live, and promoted when
 * it has caught up. Otherwise what is live goes on serving, and the command that would do it is said.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generations } from '@loomlog/generations/generations'
import { answering } from '@loomlog/generations/pointers'
import { servingFrom } from '@loomlog/generations/serving'
import type { Upgrade } from '@loomlog/generations/upgrade'
import type { Host } from '@loomlog/host/open'
import type { Readings } from '@loomlog/host/readings'
import type { Processor } from '@loomlog/runtime/processor'
import { estimateOf } from './estimate.ts'
import { upgrade } from './installed.ts'
import { hasCaughtUp, promoteGeneration, startGeneration } from './lifecycle.ts'

export interface Upgrading {
  /** The generation that is to be promoted when it has caught up; null: none is. */
  readonly awaited: string | null
  close(): Promise<void>
}

interface UpgradeOptions {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly readings: Readings
  readonly processors: readonly Processor[]
  onNews(text: string): void
  onError(error: unknown): void
}

const lookMs = 1_000

export async function followUpgrade(options: UpgradeOptions): Promise<Upgrading> {
  const { host, follower, processors, onNews, onError } = options
  const found = upgrade(host, follower.current, processors)
  const closing = new AbortController()
  if (found === null) return { awaited: null, close: async () => {} }
  const { plan, chosen } = found.successor
  const what = found.changed.map(({ stage, reasons }) => `${stage} (${reasons.join(', ')})`).join('; ')
  if (wasLeft(follower.current, plan.id)) {
    onNews(
      `what is installed derives ${plan.id}, and somebody went back from it: loomlog generation promote ${plan.id}`,
    )
    return { awaited: null, close: async () => {} }
  }
  const onCommand = found.onCommand ?? (await whyAsked(options, found))
  if (onCommand !== null) {
    onNews(
      `what is installed would derive otherwise: ${what}. Not by itself, since ${onCommand}: loomlog generation start`,
    )
    return { awaited: null, close: async () => {} }
  }
  const known = await startGeneration(host, { plan, naming: { name: null, chosen }, share: null, ifStarted: 'go on' })
  // Somebody gave it up: it stays so.
  if (known.generations.get(plan.id)?.status !== 'running') return { awaited: null, close: async () => {} }
  onNews(
    `a newer version is installed: generation ${plan.id} is derived beside the live one, and promoted when it has caught up: ${what}`,
  )
  let waiting: string | null = plan.id
  const work = promoteWhenReady(options, plan.id, closing.signal)
    .catch(onError)
    .finally(() => {
      waiting = null
    })
  return {
    get awaited() {
      return waiting
    },
    async close() {
      closing.abort()
      await work
    },
  }
}

/** Did somebody put another in its place, for everyone? */
function wasLeft({ history }: Generations, id: string): boolean {
  return history.some(
    ({ event, refused }) =>
      event.type === 'GenerationPromoted' &&
      event.previous === id &&
      event.tenant === null &&
      event.cause !== 'upgraded' &&
      refused === null,
  )
}

/** Who would have to be asked, by a dry run over everything; null: nobody, as every answer is recorded. */
async function whyAsked({ host, follower }: UpgradeOptions, found: Upgrade): Promise<string | null> {
  const base = follower.current.generations.get(answering(follower.current, null)?.generation ?? '')
  if (found.mayAsk === null || base === undefined) return found.mayAsk
  const { successor } = found
  const estimate = await estimateOf(host, { known: follower.current, base, scope: 'all', successor })
  const { stages, sampled, utterances } = estimate
  const isKnown = sampled === utterances && stages.every(({ basis, toPay }) => basis === 'exact' && toPay === 0)
  // An empty log has no answers to show that the endpoint was ever meant to be asked.
  return isKnown && stages.some(({ recorded }) => recorded > 0) ? null : found.mayAsk
}

async function promoteWhenReady(options: UpgradeOptions, id: string, signal: AbortSignal): Promise<void> {
  const { host, follower, readings, onNews } = options
  while (!signal.aborted) {
    await sleep(lookMs, undefined, { signal }).catch(() => {})
    const known = follower.current
    const generation = known.generations.get(id)
    if (signal.aborted || generation?.status !== 'running') continue
    if (answering(known, null)?.generation === id) return
    try {
      if (!(await hasCaughtUp({ host, known, serving: servingFrom(generation), readings }))) continue
      await promoteGeneration(host, { generation: id, tenant: null, cause: 'upgraded' })
      onNews(`generation ${id} is live`)
      return
    } catch (error) {
      if (isLoomlogError(error, 'generation-refused')) return
      if (!isLoomlogError(error) || !error.retryable) throw error
    }
  }
}
