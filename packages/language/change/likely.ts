/**
 * The learned recogniser of changes: of two messages about one matter, how likely it is that the later one changes what the earlier one states. Its
 * features compare things, names, values and words of change (`pair.ts`), and a rule that finds the change is one of them. The weights are data,
 * learned by `npm run eval -- changes --learn`. It marks and orders results of recall; no memory is derived from it.
 */
import { changedBy, type Message } from '../change.ts'
import { type PairFeatures, pairFeatures } from './pair.ts'
import { isNearInTime, type SignedClause, type SignedEarlier } from './pair-signals.ts'
import learned from './weights.json' with { type: 'json' }

export interface ChangeWeights {
  readonly bias: number
  /** By feature. */
  readonly features: { readonly [feature: string]: number }
}

export interface LikelyChange<M extends Message> {
  readonly later: M
  readonly earlier: M
  readonly probability: number
  /** `sure` marks the earlier message as outdated; `likely` only orders the two. */
  readonly certainty: 'sure' | 'likely'
  /** Features that count most for it, the most important first. */
  readonly because: readonly string[]
}

/** Two messages with the features of every pair of their sentences. */
export interface ComparedPair<M extends Message> {
  readonly later: M
  readonly earlier: M
  readonly sentences: readonly PairFeatures[]
}

/** The least probabilities: of a sure change, of a sure change that a rule finds too, and of a likely one. */
const least = { sure: 0.6, ruled: 0.1, likely: 0.3 }
/** Of the statements that one message may change, those that are nearly as likely as the best one, in log-odds. */
const margin = 1
/** Reasons that are named. */
const maxReasons = 4

/** @param messages in the order of time @param outdatable those that may be found changed */
export function likelyChanges<M extends Message>(
  messages: readonly M[],
  outdatable: ReadonlySet<M>,
  weights: ChangeWeights = learned,
): readonly LikelyChange<M>[] {
  const best = new Map<M, number>()
  const found = comparedPairs(messages, outdatable).map(({ later, earlier, sentences }) => {
    const [top] = sentences
      .map((features) => ({ features, logOdds: logOddsOf(features, weights) }))
      .sort((a, b) => b.logOdds - a.logOdds)
    const { features = {}, logOdds = Number.NEGATIVE_INFINITY } = top ?? {}
    best.set(later, Math.max(best.get(later) ?? logOdds, logOdds))
    return { later, earlier, logOdds, features }
  })
  return found.flatMap(({ later, earlier, logOdds, features }) => {
    const probability = 1 / (1 + Math.exp(-logOdds))
    const certainty = certaintyOf(probability, features)
    if (certainty === null || logOdds < (best.get(later) ?? logOdds) - margin) return []
    return [{ later, earlier, probability, certainty, because: reasonsIn(features, weights) }]
  })
}

function certaintyOf(probability: number, { rule }: PairFeatures): 'sure' | 'likely' | null {
  if (probability >= least.sure || (rule === 1 && probability >= least.ruled)) return 'sure'
  return probability >= least.likely ? 'likely' : null
}

export function logOddsOf(features: PairFeatures, { bias, features: weights }: ChangeWeights): number {
  let sum = bias
  for (const name in features) sum += (weights[name] ?? 0) * (features[name] ?? 0)
  return sum
}

function reasonsIn(features: PairFeatures, { features: weights }: ChangeWeights): readonly string[] {
  return Object.entries(features)
    .map(([name, value]) => ({ name, share: value * (weights[name] ?? 0) }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share)
    .slice(0, maxReasons)
    .map(({ name }) => name)
}

interface Statement<M extends Message> {
  readonly message: M
  readonly clause: SignedEarlier
}

/** The pairs of messages of which a sentence of the later one shares a word with the earlier one, or follows at once. */
export function comparedPairs<M extends Message>(
  messages: readonly M[],
  outdatable: ReadonlySet<M>,
): readonly ComparedPair<M>[] {
  const statements = new Map<M, readonly Statement<M>[]>()
  const byWord = new Map<string, Statement<M>[]>()
  return messages.flatMap((later) => {
    const before = [...statements.keys()]
    const ruled = new Set(changedBy(later, before))
    const near = before.filter((earlier) => ruled.has(earlier) || isNearInTime(later, earlier))
    const alwaysCompared = near.flatMap((earlier) => statements.get(earlier) ?? [])
    const found = new Map<M, PairFeatures[]>()
    const { stated } = later.read
    for (const clause of ruled.size > 0 ? stated : stated.filter(mayChange)) {
      const sharing = [...clause.signs.content].flatMap((word) => byWord.get(word) ?? [])
      for (const statement of new Set([...sharing, ...alwaysCompared])) {
        const rule = Number(ruled.has(statement.message))
        const features = pairFeatures(clause, statement.clause, { by: later, rule })
        if (features !== null) found.set(statement.message, [...(found.get(statement.message) ?? []), features])
      }
    }
    if (outdatable.has(later)) statements.set(later, indexed(later, byWord))
    return [...found].map(([earlier, sentences]) => ({ later, earlier, sentences }))
  })
}

function mayChange({ signs, values, isDenied }: SignedClause): boolean {
  return signs.sentenceCue + signs.corrected > 0 || values.length > 0 || isDenied
}

function indexed<M extends Message>(message: M, byWord: Map<string, Statement<M>[]>): readonly Statement<M>[] {
  const { speaker, at } = message
  return message.read.stated.map((stated) => {
    const statement = { message, clause: { ...stated, speaker, at } }
    for (const word of stated.signs.content) {
      const known = byWord.get(word)
      if (known) known.push(statement)
      else byWord.set(word, [statement])
    }
    return statement
  })
}
