/**
 * The facts of an answer, each grounded in its evidence. A time that no line can mean is dropped, and the fact kept
 * without it. A fact with a name, a number or a date that no line has is withheld: it stays in the log, and no stage or
 * view gets it. A model's fact cites every line that it takes words from, and its author is checked. Nothing is asked
 * again.
 */
import { findTimes } from '@loomlog/language/times'
import type { Draft, FactRecorded, FactWithheld } from '@loomlog/schemas/events'
import type { FactRow } from './answer-rows.ts'
import { authorshipOf } from './authorship.ts'
import { type AnsweredBoxes, type FactDraft, factDrafts } from './fact-drafts.ts'
import {
  type Evidence,
  type EvidenceLine,
  type Grounding,
  groundingOf,
  isForeign,
  lineOfDate,
  type SpokenLine,
} from './fact-evidence.ts'
import { type FactTime, unitsOf } from './fact-times.ts'
import type { WindowBox } from './state.ts'
import { evidenceFor, type WindowEvidence, windowEvidence } from './window-evidence.ts'

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
    const own = evidenceFor(each.fact, evidence)
    const { fact, inferred, missing } = grounded(each, own)
    if (missing.length > 0) withheld.push(withheldDraft(fact, missing))
    else if (each.row === null) recorded.push({ ...fact, inferred })
    else recorded.push(placedIn(window, authored({ ...fact, inferred }, each.row, { ...evidence, ...own })))
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

/** The fact with all lines that it rests on, and its author. */
function authored(
  fact: Draft<FactRecorded>,
  { timeless }: NonNullable<FactDraft['row']>,
  { cited, others, participants }: Evidence<SpokenLine> & Pick<WindowEvidence, 'participants'>,
): Draft<FactRecorded> {
  const said = cited.find(({ speaker, saidAt }) => speaker === fact.speaker && saidAt === fact.saidAt)
  if (said === undefined) return fact
  const { sources: own, inferred } = fact
  const inferredFrom = inferred.map(({ from }) => from).filter((id) => !own.includes(id))
  const citation = { text: timeless.text, sources: own, inferredFrom, said }
  const { author, isAuthorsWord, sources } = authorshipOf(citation, [...cited, ...others], participants)
  const { speaker, role, saidAt } = author
  const isInstruction = fact.isInstruction && role === 'human' && isAuthorsWord
  const origin = { ...fact.origin, causes: sources }
  return { ...fact, speaker, role, saidAt, isInstruction, sources, origin }
}

/** The fact in the box of its first source. A line before the window has no box in it. */
function placedIn(window: readonly WindowBox[], fact: Draft<FactRecorded>): Draft<FactRecorded> {
  const box = window.find(({ utterances }) => utterances.some(({ id }) => id === fact.sources[0]))
  return box === undefined ? fact : { ...fact, box: box.id, conversation: box.conversation }
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
