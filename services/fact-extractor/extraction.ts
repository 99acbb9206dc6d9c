/**
 * Reads a window: one ask, or one for each box if that has no answer.
 * Every answer is checked, of rules or of a model: facts without a source in the window, duplicates and invalid dates
 * are dropped, and facts that a correction has banned from their evidence, in any wording.
 */
import { bansOn, banVerdictOf, noteMemory, type RecordedMemory } from '@loomlog/corrections/bans'
import { ask, askAll, type Effects, put, type Step } from '@loomlog/runtime/step'
import type { CorrectionApplied, Draft, FactRecorded, FactWithheld, WindowEnd } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { contextsAfter, contextsWithout, windowLines } from './box-lines.ts'
import { correctionApplied, type FactEvent, undoneLineIds, withoutBanned } from './corrections.ts'
import { type AnsweredBoxes, windowExtracted } from './fact-drafts.ts'
import { groundedFacts } from './grounded-facts.ts'
import { noteRead } from './reads.ts'
import { readContexts, type UnansweredWindow, unanswered, type WindowBox, writeContexts } from './state.ts'
import { extractFacts } from './tasks.ts'
import { boxesWithout, hasLines } from './window.ts'

/** @param cause the id of the input that ends the window */
export function* extract(cause: string, boxes: readonly WindowBox[], closedBy: WindowEnd): Step<Draft<FactEvent>> {
  const known = yield* readContexts()
  yield* writeContexts(known, contextsAfter(boxes, known))
  const whole = yield* ask(extractFacts, windowLines(boxes, known))
  if (whole.kind === 'answer')
    return yield* extractionDrafts(cause, [{ boxes, known, answer: whole }], { boxes, known, closedBy })
  const own = known.filter(([conversation]) => boxes.some((box) => box.conversation === conversation))
  const window = { boxes: boxes.filter(hasLines), known: own, closedBy }
  // The input is parked, since the whole window has no answer. With this record a retry doesn't read it as a new box.
  yield* put(unanswered, cause, { ...window, boxes: [] })
  return yield* extractParts(cause, window.boxes.length === 1 ? null : window, window)
}

/** A retry, without lines undone since. A window with some answers is parked too, but not read again. */
export function* extractAgain(cause: string, waiting: UnansweredWindow): Step<Draft<FactEvent>> {
  yield* put(unanswered, cause, null)
  if (waiting.boxes.length === 0) return []
  const undone = yield* undoneLineIds([
    ...waiting.boxes.flatMap(({ utterances }) => utterances),
    ...waiting.known.flatMap(([, { before }]) => before),
  ])
  const boxes = boxesWithout(undone, waiting.boxes).filter(hasLines)
  if (boxes.length === 0) return waiting.closedBy === 'pause' ? [windowExtracted([], 'pause', [])] : []
  const window = { ...waiting, boxes, known: contextsWithout(undone, waiting.known) }
  return yield* extractParts(cause, window, window)
}

/**
 * Reads each box of a window alone, since a long answer may have been cut off, or one line refused. The facts of
 * answered boxes are recorded. A window without any answer is kept for a retry, and has no output yet: ids come from
 * the cause, so the retry's outputs would repeat them.
 *
 * @param parts null: the window is a single box, and its ask has had no answer
 */
function* extractParts(
  cause: string,
  parts: UnansweredWindow | null,
  window: UnansweredWindow,
): Step<Draft<FactEvent>> {
  const inputs: Omit<AnsweredBoxes, 'answer'>[] = []
  let known = window.known
  for (const each of parts?.boxes ?? []) {
    inputs.push({ boxes: [each], known })
    known = contextsAfter([each], known)
  }
  const answers = yield* askAll(
    extractFacts,
    inputs.map((part) => windowLines(part.boxes, part.known)),
  )
  const read = inputs.flatMap((part, index) => {
    const answer = answers[index]
    return answer?.kind === 'answer' ? [{ ...part, answer }] : []
  })
  if (read.length === 0) yield* put(unanswered, cause, window)
  else if (read.length < inputs.length) yield* put(unanswered, cause, { ...window, boxes: [] })
  return read.length > 0 ? yield* extractionDrafts(cause, read, window) : []
}

function* extractionDrafts(
  cause: string,
  read: readonly AnsweredBoxes[],
  { boxes, closedBy }: UnansweredWindow,
): Step<Draft<FactEvent>> {
  const texts = new Set<string>()
  const found: Draft<FactRecorded>[][] = []
  const withheld: Draft<FactWithheld>[] = []
  for (const each of read) {
    const facts = groundedFacts(each, boxes)
    found.push(facts.recorded.filter(({ text }) => !texts.has(text) && texts.add(text)))
    withheld.push(...facts.withheld)
  }
  const { drafts, ids } = yield* applyBans(cause, found.flat())
  for (const [at, { boxes, known }] of read.entries()) {
    const own = found[at]?.flatMap((fact) => ids.get(fact) ?? []) ?? []
    yield* noteRead({ name: `${cause}/${at}`, boxes, known }, own)
  }
  return [...drafts, ...(yield* withoutBanned(withheld)), windowExtracted(read, closedBy, drafts)]
}

/** The found facts that a ban concerns. */
interface BanResult {
  readonly conversation: string
  withheld: number
  readonly from: number | null
  readonly ended: { readonly id: string }[]
  readonly unsure: { readonly id: string }[]
}

interface AllowedFacts {
  /** The facts without banned ones, and a `CorrectionApplied` for each ban that concerned one of them. */
  readonly drafts: readonly Draft<FactRecorded | CorrectionApplied>[]
  /** Of the facts, if these drafts are the first outputs of the cause. */
  readonly ids: ReadonlyMap<Draft<FactRecorded>, string>
}

export function* applyBans(cause: string, found: readonly Draft<FactRecorded>[]): Effects<AllowedFacts> {
  const kept = new Map<Draft<FactRecorded>, string>()
  const results = new Map<string, BanResult>()
  for (const fact of found) {
    const id = derivedId('fact-extractor', cause, kept.size)
    const memory = { ...fact, isCorrection: false }
    const concerns = (yield* bansOn(fact.sources)).map((ban) => ({ ban, concern: banVerdictOf(ban, memory) }))
    const isWithheld = concerns.some(({ ban, concern }) => concern === 'banned' && ban.until === undefined)
    for (const { ban, concern } of concerns.filter((each) => each.concern !== 'free')) {
      const none = { conversation: fact.conversation, withheld: 0, from: ban.until ?? null, ended: [], unsure: [] }
      const result: BanResult = results.get(ban.correction) ?? none
      results.set(ban.correction, result)
      if (concern !== 'banned') result.unsure.push({ id })
      else if (ban.until === undefined) result.withheld++
      else if (!isWithheld) result.ended.push({ id })
    }
    if (isWithheld) continue
    kept.set(fact, id)
    yield* noteMemory(memoryOf(id, fact))
  }
  const outcomes = [...results].flatMap(([correction, result]) => {
    const isApplied = result.withheld + result.ended.length > 0
    // Another ban withheld each fact that this one would have ended.
    if (!isApplied && result.unsure.length === 0) return []
    return [correctionApplied({ correction, outcome: isApplied ? 'applied' : 'unsure', ...result })]
  })
  return { drafts: [...kept.keys(), ...outcomes], ids: kept }
}

function memoryOf(id: string, { text, subject, relation, object, role, sources }: Draft<FactRecorded>): RecordedMemory {
  return { id, text, subject, relation, object, role, sources, isCorrection: false }
}
