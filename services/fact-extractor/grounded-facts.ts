/**
 * The facts of an answer, each grounded in its evidence. A time that no line can mean is dropped, and the fact kept
 * without it. A fact with a name, a number or a date that no line has is withheld: it stays in the log, and no stage or
 * view gets it. Nothing is asked again.
 */
import { findTimes } from '@loomlog/language/times'
import type { Draft, FactRecorded, FactWithheld } from '@loomlog/schemas/events'
import type { FactRow } from './answer-rows.ts'
import { type AnsweredBoxes, type FactDraft, factDrafts } from './fact-drafts.ts'
import {
  type Evidence,
  type EvidenceLine,
  type Grounding,
  groundingOf,
  isForeign,
  lineOfDate,
} from './fact-evidence.ts'
import { type FactTime, unitsOf } from './fact-times.ts'
import type { WindowBox } from './state.ts'
import { evidenceFor, windowEvidence } from './window-evidence.ts'

export interface GroundedFacts {
  readonly recorded: readonly Draft<FactRecorded>[]
  readonly withheld: readonly Draft<FactWithheld>[]
}

/** @param window all boxes of the window: their lines are evidence for each of its asks */
export function groundedFacts(read: AnsweredBoxes, window: readonly WindowBox[]): GroundedFacts {
  const evidence = windowEvidence(window, read.known)
  const recorded: Draft<FactRecorded>[] = []
  const withheld: Draft<FactWithheld>[] = []
  for (const each of factDrafts(read)) {
    const { fact, inferred, missing } = grounded(each, evidenceFor(each.fact, evidence))
    if (missing.length === 0) recorded.push({ ...fact, inferred })
    else withheld.push(withheldDraft(fact, missing))
  }
  return { recorded, withheld }
}

function grounded({ fact, row }: FactDraft, evidence: Evidence): Grounding & { readonly fact: Draft<FactRecorded> } {
  // Rules count their dates from the words of the line itself.
  if (row === null) return { fact, ...groundingOf(fact, evidence, (_, { cited }) => cited.find(tellsTime)) }
  const { told, timeless } = row
  const timed = told.time !== null && isTimeGrounded(told.time, told, evidence) ? fact : timeless
  return { fact: timed, ...groundingOf({ ...timed, text: timeless.text }, evidence, lineOfDate) }
}

function isTimeGrounded(time: FactTime, { kind }: Pick<FactRow, 'kind'>, evidence: Evidence): boolean {
  return unitsOf(time).every(({ iso }) => {
    const [year = 0, month = null, day = null] = iso.split(/[- ]/).slice(0, 3).map(Number)
    return lineOfDate({ year, month, day }, evidence, kind) !== undefined
  })
}

/** Times are read in English only, so a line in another language counts as having one. */
function tellsTime(line: EvidenceLine): boolean {
  return isForeign(line) || findTimes(line.text, line.at).length > 0
}

function withheldDraft(
  { box, conversation, text, speaker, role, saidAt, sources, origin }: Draft<FactRecorded>,
  missing: readonly string[],
): Draft<FactWithheld> {
  return { type: 'FactWithheld', box, conversation, text, speaker, role, saidAt, sources, missing, origin }
}
