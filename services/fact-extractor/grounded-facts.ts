/**
 * The facts of an answer, each grounded in its evidence. A model is asked once more about those that are not, with the words that they must not
 * have. A fact that still isn't grounded is withheld: it stays in the log, and no stage or view gets it.
 */
import { ask, type Effects } from '@loomlog/runtime/step'
import type { BoxUtterance, Draft, FactRecorded, FactWithheld } from '@loomlog/schemas/events'
import { contextIn, lineLabel, linesOf, windowLines } from './box-lines.ts'
import { type AnsweredBoxes, factDrafts } from './fact-drafts.ts'
import { groundingOf } from './fact-evidence.ts'
import type { WindowBox } from './state.ts'
import { extractFacts } from './tasks.ts'

export interface GroundedFacts {
  readonly recorded: readonly Draft<FactRecorded>[]
  readonly withheld: readonly Draft<FactWithheld>[]
  /** The completions of the second ask. They are in the lineage of the window even if it gave no fact. */
  readonly completions: readonly string[]
  /** Whether every ask had an answer. */
  readonly isAnswered: boolean
}

interface UngroundedFact {
  readonly fact: Draft<FactRecorded>
  readonly missing: readonly string[]
}

/** @param window all boxes of the window: their lines are evidence for each of its asks */
export function* groundedFacts(read: AnsweredBoxes, window: readonly WindowBox[]): Effects<GroundedFacts> {
  const first = checkGrounding(read, window)
  if (first.ungrounded.length === 0 || read.answer.completions.length === 0)
    return { ...outcome(first), completions: [], isAnswered: true }
  const concerned = new Set(first.ungrounded.map(({ fact }) => fact.box))
  const boxes = read.boxes.filter(({ id }) => concerned.has(id))
  const refused = first.ungrounded.map((each) => refusedRow(each, linesOf(boxes)))
  const answer = yield* ask(extractFacts, { ...windowLines(boxes, read.known), refused })
  if (answer.kind === 'none') return { ...outcome(first), completions: [], isAnswered: false }
  const second = checkGrounding({ ...read, boxes, answer }, window)
  const recorded = [...first.recorded, ...second.recorded]
  const facts = outcome({ recorded, ungrounded: second.ungrounded })
  return { ...facts, completions: answer.completions, isAnswered: true }
}

function checkGrounding(read: AnsweredBoxes, window: readonly WindowBox[]) {
  const recorded: Draft<FactRecorded>[] = []
  const ungrounded: UngroundedFact[] = []
  for (const fact of factDrafts(read)) {
    const lines = linesOf(window.filter(({ conversation }) => conversation === fact.conversation))
    const isSource = ({ id }: BoxUtterance) => fact.sources.includes(id)
    const { before, participants } = contextIn(read.known, fact.conversation)
    const { inferred, missing } = groundingOf(fact, {
      sources: lines.filter(isSource),
      others: lines.filter((line) => !isSource(line)),
      before,
      participants,
    })
    if (missing.length === 0) recorded.push({ ...fact, inferred })
    else ungrounded.push({ fact, missing })
  }
  return { recorded, ungrounded }
}

/** `u4: Ann sailed to Porto. (porto)`: the fact with its lines and the words that these lack. */
function refusedRow({ fact: { text, sources }, missing }: UngroundedFact, lines: readonly BoxUtterance[]): string {
  const labels = lines.flatMap(({ id }, index) => (sources.includes(id) ? [lineLabel(index)] : []))
  return `${labels.join(',')}: ${text} (${missing.join(', ')})`
}

function outcome({
  recorded,
  ungrounded,
}: ReturnType<typeof checkGrounding>): Pick<GroundedFacts, 'recorded' | 'withheld'> {
  return { recorded, withheld: ungrounded.map(withheldDraft) }
}

function withheldDraft({ fact, missing }: UngroundedFact): Draft<FactWithheld> {
  const { box, conversation, text, speaker, role, saidAt, sources, origin } = fact
  return { type: 'FactWithheld', box, conversation, text, speaker, role, saidAt, sources, missing, origin }
}
