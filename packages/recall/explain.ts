/**
 * A recall that says how it came about: every candidate with what spoke for it, feature by feature, what showing it takes, and why it was
 * taken or left. What always holds: it takes the very same items as `recall()`, since it is the same search and the same packing; and the
 * contributions with the bias, added up, are the log-odds of the score, or of one that is lower where `raisedBy` says what it took the
 * place of, whose score it has.
 */

import type { Memory, Scored } from './memory.ts'
import { pack, shownWithin, whole } from './packing/pack.ts'
import type { Examined } from './ranking/rank-utterances.ts'
import { learnedWeights } from './ranking/weights.ts'
import { find } from './recall.ts'
import type { RecallOptions } from './recall-options.ts'
import type { Answer } from './recall-result.ts'
import { checked, type RecallRequest } from './request/request.ts'
import { byRules, type Understood } from './request/understanding.ts'
import type { Similarity } from './search/hybrid.ts'

export interface Contribution {
  /** A feature's name in `weights.json`. */
  readonly feature: string
  readonly part: Part
  readonly value: number
  readonly weight: number
  /** Value times weight. */
  readonly contribution: number
}

type Told = Pick<Scored, 'id' | 'kind' | 'space' | 'text' | 'sources' | 'score' | 'raisedBy'>

export interface ExplainedCandidate extends Told {
  /** What showing it takes, within a budget with its number, in cl100k tokens. */
  readonly tokens: number
  /** `limit`: others were better; `budget`: its tokens did not fit. */
  readonly outcome: 'taken' | 'limit' | 'budget'
  /**
   * All that counted, most first: in log-odds for what was said, without the bias; as shares of a score for other kinds that were asked for,
   * which several kinds then take their places by.
   */
  readonly contributions: readonly Contribution[]
}

export interface Explained extends Answer {
  readonly understood: Understood
  /** In log-odds, the same for all. */
  readonly bias: number
  /** Best first; of several kinds without the repeats that `ranking/merge-kinds.ts` drops. */
  readonly candidates: readonly ExplainedCandidate[]
}

/** The parts of recall, for a table that can be read at a glance: the first whose pattern the feature's name fits. */
const patterns = {
  conversation: /^conversation/,
  neighbours: /±|around|before|after|is answered/,
  facts: /^fact/,
  events: /^event/,
  meaning: /meaning|told/,
  speaker: /named/,
  wants: /^holds|time$/,
  words: /word/,
  form: /(?:)/,
} as const
export type Part = keyof typeof patterns
export const parts = Object.keys(patterns) as readonly Part[]

/** @throws LoomlogError as `recall()` */
export async function explain(request: RecallRequest, options: RecallOptions): Promise<Explained> {
  const asked = checked(request)
  const contributions = new Map<string, readonly Contribution[]>()
  // Of what several queries found, what it was found best by.
  const keep = (memory: Memory, by: readonly Contribution[]) => {
    const before = contributions.get(key(memory))
    if (before === undefined || total(by) > total(before)) contributions.set(key(memory), by)
  }
  const { ranked, ...told } = await find(asked, options, {
    examined(examined) {
      for (const [at, { memory }] of examined.candidates.entries()) keep(memory, ofCandidate(at, examined))
    },
    similar: (memory, by) => keep(memory, counted(by)),
  })
  const answer = { ...pack(ranked, asked), ...told }
  const taken = new Set(answer.items.map(key))
  const left = new Map(answer.leftOut.map((item) => [key(item), item.why]))
  const shownAs = asked.budgetTokens === null ? whole : shownWithin(asked.budgetTokens, asked.query)
  const candidates = ranked.map((candidate): ExplainedCandidate => {
    const { id, kind, space, sources, score, raisedBy } = candidate
    const { text, tokens } = shownAs(candidate)
    const outcome = taken.has(key(candidate)) ? 'taken' : (left.get(key(candidate)) ?? 'limit')
    return {
      id,
      kind,
      space,
      sources,
      score,
      ...(raisedBy !== undefined && { raisedBy }),
      text,
      tokens,
      outcome,
      contributions: contributions.get(key(candidate)) ?? [],
    }
  })
  return { ...answer, understood: answer.understood ?? byRules(asked.query), bias: learnedWeights.bias, candidates }
}

/** What a part contributes in sum. */
export function sumOf(part: Part, { contributions }: Pick<ExplainedCandidate, 'contributions'>): number {
  return total(contributions.filter((each) => each.part === part))
}

function total(contributions: readonly Contribution[]): number {
  return contributions.reduce((sum, each) => sum + each.contribution, 0)
}

function ofCandidate(at: number, { features }: Examined): readonly Contribution[] {
  return counted(
    [...features].map(([feature, values]) => ({
      feature,
      value: values[at] ?? 0,
      weight: learnedWeights.features[feature] ?? 0,
    })),
  )
}

function counted(by: readonly Similarity[]): readonly Contribution[] {
  return by
    .map(({ feature, value, weight }) => {
      return { feature, part: partOf(feature), value, weight, contribution: value * weight }
    })
    .filter(({ contribution }) => contribution !== 0)
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
}

function partOf(feature: string): Part {
  return parts.find((part) => patterns[part].test(feature)) ?? 'form'
}

/** Ids are unique in a space, and by kind. */
function key({ space, kind, id }: Pick<Scored, 'space' | 'kind' | 'id'>): string {
  return `${space} ${kind} ${id}`
}
