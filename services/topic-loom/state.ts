/**
 * The keyed records of topic-loom: the open stretch of its lane, a conversation; the statistics of its gaps; and the
 * sealed box of each utterance, so that an undo can remove the utterance from it.
 */

import { type KeyedRecord, keyedRecord } from '@loomlog/runtime/step'
import type { BoxUtterance } from '@loomlog/schemas/events'
import type { Label } from './task-types.ts'

export type PhraseScores = { readonly opening: number; readonly last: number; readonly after: number }

/** An utterance as the shift score reads it. */
export type LineReading = {
  readonly id: string
  readonly speaker: string
  /** The beginning of the line. */
  readonly text: string
  /** Null: unknown so far. */
  readonly language: string | null
  /** Its cosines with the lines before it, the nearest first. */
  readonly near: readonly number[]
  /** How much it resembles lines that open a topic, that end one, and that follow an opening. */
  readonly leans: PhraseScores
  /** In the vector space of the stage embedder. Null: without an answer, or too old to be compared with later lines. */
  readonly vector: readonly number[] | null
  /** The keys of its embedding's answer. */
  readonly completions: readonly string[]
}

/** Whether an utterance opens a box. */
export type OpeningDecision = {
  readonly opens: boolean
  /** Given by a model with its decision. */
  readonly label: Label | null
  readonly by: string
  readonly completions: readonly string[]
}

/** An utterance that is in no sealed box. */
export type PendingUtterance = {
  readonly utterance: BoxUtterance
  readonly tokens: number
  /** The raw score of the gap before it, and the probability that it opens a box. Null until enough lines follow. */
  readonly raw: number | null
  readonly score: number | null
  readonly opening: OpeningDecision | null
}

export type Stretch = {
  /** The lines of `pending`, after a few that precede it. A gap or a pause empties it. */
  readonly readings: readonly LineReading[]
  /** At most a box, a block, and the lines that wait for their score. */
  readonly pending: readonly PendingUtterance[]
  /** The id of the last admitted utterance, undone or not: a pause names it. */
  readonly last: string | null
}

export const stretch: KeyedRecord<Stretch> = keyedRecord('stretch')

/** Sums over the gaps of the conversation, and the neighbours of the next gap. */
export type GapStatistics = {
  readonly gaps: number
  /** The sums of the similarities in `usualSimilarities`, in that order, and of their squares. */
  readonly sums: readonly number[]
  readonly squares: readonly number[]
  /** Gaps with a score; the sums of their raw scores and of the probabilities that these stand for. */
  readonly scored: number
  readonly raws: number
  readonly shares: number
  /** The last two raw scores, the latest first. */
  readonly earlier: readonly number[]
  /** Lines since the last gap with a raw score above 0. */
  readonly linesSince: number
}

export const gapStatistics: KeyedRecord<GapStatistics> = keyedRecord('measure')

/** The language of the conversation's last line. */
export const lastLanguage: KeyedRecord<string> = keyedRecord('language')

/** The sealed box of each utterance. */
export const boxOf: KeyedRecord<string> = keyedRecord('box-of')

/** The utterances of each sealed box that are not undone. */
export const visibleUtterances: KeyedRecord<readonly string[]> = keyedRecord('shown')
