/**
 * Upgrades the live generation after a newer version of loomlog is installed. If no model has to be called (all stages
 * use rules, or every answer is recorded), the successor of the live generation is derived beside it, and promoted when
 * it has caught up. Otherwise the live generation stays, and the command that starts the successor is printed. A dry
 * run finds out whether every answer is recorded. It takes `maxSampledEvents` source events at most, so with a model a
 * larger log is upgraded by command. A successor with fewer than half of the live one's facts or entries is not
 * promoted: a person decides.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { type Upgrade, withCommand } from '@loomlog/generations/upgrade'
import type { GenerationReader } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import type { Processor } from '@loomlog/runtime/processor'
import { upgrade } from './configured-generation.ts'
import { estimateOf } from './estimate.ts'
import { promoteGeneration, startGeneration } from './lifecycle.ts'
import { hasCaughtUp, lossByPromotion, mostBehindMs } from './promotion-checks.ts'
import { maxSampledEvents, sampleOf } from './sample.ts'

export interface UpgradeRun {
  /** The generation to promote when it has caught up; null: none. */
  readonly awaited: string | null
  close(): Promise<void>
}

export const noUpgrade: UpgradeRun = { awaited: null, close: async () => {} }

interface UpgradeOptions {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly generationReader: GenerationReader
  readonly processors: readonly Processor[]
  onNews(text: string): void
  onError(error: unknown): void
}

const pollMs = 1_000
/** Time between two counts once a loss is reported: each counts every fact and entry. */
const recountMs = 60_000

export async function followUpgrade(options: UpgradeOptions): Promise<UpgradeRun> {
  const { host, follower, processors, onNews, onError } = options
  const found = upgrade(host, follower.current, processors)
  const closing = new AbortController()
  if (found === null) return noUpgrade
  const { plan, chosen } = found.successor
  const changes = found.changed.map(({ stage, reasons }) => `${stage} (${reasons.join(', ')})`).join('; ')
  if (wasRolledBack(follower.current, plan.id)) {
    onNews(
      `the installed version derives ${plan.id}, which was rolled back: loomlog generation promote ${plan.id} makes it live again`,
    )
    return noUpgrade
  }
  const commandReason = found.commandReason ?? withCommand(await modelCalled(options, found))
  if (commandReason !== null) {
    onNews(
      `the installed version would derive differently${changes && `: ${changes}`}. It needs a command, since ${commandReason}`,
    )
    return noUpgrade
  }
  const known = await startGeneration(host, { plan, naming: { name: null, chosen }, share: null, ifStarted: 'keep' })
  // A generation that a person cancelled or paused stays as it is.
  if (known.generations.get(plan.id)?.status !== 'running') return noUpgrade
  onNews(
    `a newer version is installed: generation ${plan.id} is derived beside the live one, and promoted when it has caught up: ${changes}`,
  )
  let waiting: string | null = plan.id
  const onHeld = () => {
    waiting = null
  }
  const work = promoteWhenReady(options, plan.id, { signal: closing.signal, onHeld }).catch(onError).finally(onHeld)
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

/** Whether a person has promoted another generation for everyone instead. */
function wasRolledBack({ history }: Generations, id: string): boolean {
  return history.some(
    ({ event, refused }) =>
      event.type === 'GenerationPromoted' &&
      event.previous === id &&
      event.tenant === null &&
      event.cause !== 'upgraded' &&
      refused === null,
  )
}

/** The model that may be called, according to a dry run; null: every answer is recorded. */
async function modelCalled({ host, follower }: UpgradeOptions, found: Upgrade): Promise<string | null> {
  const base = follower.current.generations.get(liveGeneration(follower.current, null)?.generation ?? '')
  if (found.modelCall === null || base === undefined) return found.modelCall
  const { successor } = found
  const { sampled, utterances } = await sampleOf(host, 'all', maxSampledEvents)
  if (sampled < utterances) {
    const [most, all] = [maxSampledEvents.toLocaleString('en'), utterances.toLocaleString('en')]
    return `${found.modelCall} where no answer is recorded, which is looked up for ${most} source events at most, and the log has ${all}`
  }
  const estimate = await estimateOf(host, { known: follower.current, base, scope: 'all', successor })
  const { stages } = estimate
  const isKnown = stages.every(({ basis, toPay }) => basis === 'exact' && toPay === 0)
  // An empty log holds no answers, so nothing shows that the endpoint may be called.
  return isKnown && stages.some(({ recorded }) => recorded > 0) ? null : found.modelCall
}

/**
 * Promotes the generation when it has caught up, unless it lost much of the memory: then it stays beside the live one,
 * which is reported once.
 */
async function promoteWhenReady(
  options: UpgradeOptions,
  id: string,
  { signal, onHeld }: { readonly signal: AbortSignal; onHeld(): void },
): Promise<void> {
  const { follower, onNews } = options
  let lossSince: number | null = null
  let isReported = false
  while (!signal.aborted) {
    await sleep(isReported ? recountMs : pollMs, undefined, { signal }).catch(() => {})
    const generation = follower.current.generations.get(id)
    if (signal.aborted || generation?.status !== 'running') continue
    const tried = await tryToPromote(options, generation)
    if (tried.state === 'over') return
    if (tried.state !== 'lossy') {
      lossSince = null
      continue
    }
    if (isReported) continue
    lossSince ??= Date.now()
    // It may lack the memory of the last seconds only.
    if (Date.now() - lossSince < mostBehindMs) continue
    isReported = true
    onHeld()
    onNews(`the newer version's generation stays beside the live one: ${tried.loss}`)
  }
}

/** `over`: it is live, or was refused. */
type Attempt = { readonly state: 'over' | 'behind' } | { readonly state: 'lossy'; readonly loss: string }

async function tryToPromote(
  { host, follower, generationReader, onNews }: UpgradeOptions,
  generation: Generation,
): Promise<Attempt> {
  const [known, { id }] = [follower.current, generation]
  if (liveGeneration(known, null)?.generation === id) return { state: 'over' }
  try {
    const of = { host, known, serving: servingGeneration(generation, host.topics), generationReader }
    if (!(await hasCaughtUp(of))) return { state: 'behind' }
    const loss = await lossByPromotion(of, null)
    if (loss !== null) return { state: 'lossy', loss }
    await promoteGeneration(host, { generation: id, tenant: null, cause: 'upgraded' })
    onNews(`generation ${id} is live`)
    return { state: 'over' }
  } catch (error) {
    if (isLoomlogError(error, 'generation-refused')) return { state: 'over' }
    if (isLoomlogError(error) && error.retryable) return { state: 'behind' }
    throw error
  }
}
