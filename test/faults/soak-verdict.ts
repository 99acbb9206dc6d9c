/**
 * The verdict of a soak. Caches grow with use up to their limits, which takes longer than an hour of mild load. So
 * their share, which the metrics of the process show, is subtracted: the rest of resident memory must be flat after the
 * warm-up.
 */
import type { Verdict } from './scenario.ts'
import type { Inside, Sample } from './soak-sample.ts'

export interface SoakEnd {
  /** The number that was written. */
  readonly utterances: number
  /** Failed requests, counted by message. */
  readonly failures: { readonly [message: string]: number }
  readonly ended: readonly string[]
  readonly warmAfterSeconds: number
}

/** After the warm-up, the last quarter may exceed the first one by this much. */
const maxGrowth = { share: 0.1, mb: 40, files: 20 }
const shownEverySeconds = 60

/** A sample with the metrics of the process. */
type WholeSample = Sample & { readonly inside: Inside }

/**
 * Kept if memory without caches and open files are flat, and no request failed. Without the process's metrics it isn't
 * kept.
 */
export function soakVerdict(samples: readonly Sample[], end: SoakEnd): Verdict {
  const { utterances, failures, ended, warmAfterSeconds } = end
  const warm = samples.filter(({ atSeconds }) => atSeconds >= warmAfterSeconds)
  const whole = warm.filter((sample): sample is WholeSample => sample.inside !== null)
  const quarter = Math.max(1, Math.floor(whole.length / 4))
  const [first, last] = [whole.slice(0, quarter), whole.slice(-quarter)]
  const mean = (of: (sample: WholeSample) => number) => ({ first: meanOf(first.map(of)), last: meanOf(last.map(of)) })
  // The heap's least size is that after a collection, when it holds little more than live objects.
  const leastOf = (some: readonly WholeSample[]) =>
    Math.min(...some.map(({ inside }) => inside.heapMb - inside.spaceCacheMb))
  const restMb = mean(restOf)
  const liveHeapMb = { first: leastOf(first), last: leastOf(last) }
  const openFiles = mean((sample) => sample.openFiles)
  const isFlat =
    whole.length > 0 &&
    [restMb, liveHeapMb].every(({ first, last }) => last <= first * (1 + maxGrowth.share) + maxGrowth.mb) &&
    openFiles.last <= openFiles.first + maxGrowth.files
  const isKept = isFlat && Object.keys(failures).length === 0 && ended.length === 0
  const details = {
    utterances,
    warmAfterSeconds,
    rssMb: mean((sample) => sample.rssMb),
    cachesMb: mean(cachesOf),
    restMb,
    liveHeapMb,
    heapTotalMb: mean((sample) => sample.inside.heapTotalMb),
    mallocHeapMb: mean((sample) => sample.mallocHeapMb),
    openFiles,
    failures,
    ended,
    samples: shown(samples),
  }
  return { isKept, details }
}

function cachesOf({ inside }: WholeSample): number {
  return inside.spaceCacheMb + inside.viewCacheMb
}

function restOf(sample: WholeSample): number {
  return sample.rssMb - cachesOf(sample)
}

function meanOf(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
}

/** The first complete sample of each minute. */
function shown(samples: readonly Sample[]): readonly object[] {
  const whole = samples.filter((sample): sample is WholeSample => sample.inside !== null)
  const minuteOf = (sample: Sample) => Math.floor(sample.atSeconds / shownEverySeconds)
  return whole
    .filter((sample, index) => index === 0 || minuteOf(sample) !== minuteOf(whole[index - 1] ?? sample))
    .map((sample) => {
      const { kinds: _, inside, ...rest } = sample
      return { ...rest, ...inside, cachesMb: cachesOf(sample), restMb: restOf(sample) }
    })
}
