/**
 * Confidence intervals of means by paired bootstrap. It draws conversations, and then questions within them, because
 * the questions about one conversation are similar. The interval covers 95 % of the drawn means.
 */
import { seededRandom } from '../../seeded-random.ts'
import { mean } from '../mean.ts'

export interface Interval {
  readonly mean: number
  readonly from: number
  readonly to: number
}

const rounds = 1_000
const seed = 1

/** @param values for each conversation, the values of its questions, or the differences of two methods */
export function bootstrap(values: readonly (readonly number[])[]): Interval {
  const random = seededRandom(seed)
  const drawn = <T>(from: readonly T[]) => from.map(() => from[Math.floor(random() * from.length)] as T)
  const means = Array.from({ length: rounds }, () => mean(drawn(values).flatMap((of) => drawn(of)))).sort(
    (a, b) => a - b,
  )
  const at = (share: number) => means[Math.floor(share * (rounds - 1))] ?? 0
  return { mean: mean(values.flat()), from: at(0.025), to: at(0.975) }
}
