/**
 * Runs the automatic upgrade in services. Of all processes with the newer version, the one with the lease of the topic
 * `generations` defines the successor and promotes it. A process of the older version finds no upgrade, and never
 * joins.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import { GenerationReader } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import type { Lease, Membership } from '@loomlog/log/port'
import type { Logger } from 'pino'
import { processorsOf } from '../processors.ts'
import { followUpgrade } from './automatic-upgrade.ts'
import { upgrade } from './configured-generation.ts'

interface ElectionOptions {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly logger: Logger
  readonly signal: AbortSignal
  onError(error: unknown): void
}

/** Time before a join that failed for a moment is tried again. */
const retryMs = 1_000

export async function electUpgrade(options: ElectionOptions): Promise<{ close(): Promise<void> }> {
  const { host, follower, logger, signal, onError } = options
  let membership: Membership | null = null
  /** The live generation of the last complete evaluation. Undefined before it, and while the membership changes. */
  let evaluated: string | null | undefined = null
  let work = Promise.resolve()
  let retry: NodeJS.Timeout | undefined
  let isClosing = false
  const reported = new Set<string>()
  /** The lease moves as processes join, and each owner follows the upgrade. A process reports each line once. */
  const report = (line: string) => {
    if (!reported.has(line)) logger.info(line)
    reported.add(line)
  }
  /** Joins where the installed version differs from the live generation, and leaves where it doesn't any more. */
  const evaluate = async (known: Generations) => {
    const live = liveGeneration(known, null)?.generation ?? null
    if (signal.aborted || live === evaluated) return
    evaluated = undefined
    await membership?.close()
    membership = null
    // An upgrade that needs a command is left to people.
    if (upgrade(host, known, processorsOf(host))?.commandReason === null) {
      membership = await host.log.join({
        group: 'upgrades',
        topic: 'generations',
        ...host.config.session,
        signal,
        onLease: (lease) => lead(lease, options, report),
        onError,
      })
    }
    evaluated = live
  }
  const retryLater = (error: unknown) => {
    onError(error)
    if (!isLoomlogError(error) || !error.retryable || isClosing) return
    clearTimeout(retry)
    retry = setTimeout(evaluateNext, retryMs)
  }
  const evaluateNext = () => {
    work = work.then(() => evaluate(follower.current)).catch(retryLater)
  }
  follower.onChange(evaluateNext)
  evaluateNext()
  await work
  return {
    async close() {
      isClosing = true
      clearTimeout(retry)
      await work
      await membership?.close()
    },
  }
}

async function lead(
  lease: Lease,
  { host, follower, onError }: ElectionOptions,
  onNews: (line: string) => void,
): Promise<void> {
  const generationReader = new GenerationReader(host, follower)
  const following = await followUpgrade({
    host,
    follower,
    generationReader,
    processors: processorsOf(host),
    onNews,
    onError,
  })
  try {
    if (lease.signal.aborted) return
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve, { once: true }))
  } finally {
    await following.close()
    await generationReader.close()
  }
}
