/** Learns the weights of the recogniser of changes from pairs of messages that people marked. */
import type { ReadMessage } from '@loomlog/language/change'
import { type ChangeWeights, comparedPairs, logOddsOf } from '@loomlog/language/likely-change'
import { fit } from '../logistic.ts'

export interface MarkedMessage {
  readonly speaker: string
  readonly at: number
  readonly text: string
  readonly read: ReadMessage
  /** The messages that this one changes, and those that they changed before. */
  readonly changed: ReadonlySet<number>
  readonly place: number
  /** The messages that it seems to change and does not. */
  readonly alike: ReadonlySet<number>
}

const penalty = 2e-3
/** Of several sentences of a message, the likeliest tells the change; it is chosen again in each round. */
const rounds = 4

export function learnWeights(conversations: readonly (readonly MarkedMessage[])[]): ChangeWeights {
  const pairs = conversations.flatMap((messages) =>
    comparedPairs(messages, new Set(messages)).map(({ later, earlier, sentences }) => ({
      sentences,
      isChange: later.changed.has(earlier.place),
    })),
  )
  const names = Object.keys(pairs[0]?.sentences[0] ?? {})
  let weights: ChangeWeights = { bias: 0, features: {} }
  let found: readonly number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const examples = pairs.flatMap(({ sentences, isChange }) => {
      const best = Math.max(...sentences.map((features) => logOddsOf(features, weights)))
      const chosen = round === 0 ? sentences : sentences.filter((features) => logOddsOf(features, weights) === best)
      return chosen.map((features) => ({
        features: [1, ...names.map((name) => features[name] ?? 0)],
        isShift: isChange,
        weight: 1 / chosen.length,
      }))
    })
    found = fit(examples, penalty, found)
    weights = { bias: found[0] ?? 0, features: Object.fromEntries(names.map((name, i) => [name, found[i + 1] ?? 0])) }
  }
  return rounded(weights)
}

function rounded({ bias, features }: ChangeWeights): ChangeWeights {
  const round = (value: number) => Math.round(value * 1_000) / 1_000
  return {
    bias: round(bias),
    features: Object.fromEntries(Object.entries(features).map(([name, value]) => [name, round(value)])),
  }
}
