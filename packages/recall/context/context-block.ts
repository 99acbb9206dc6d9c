/**
 * The context block: the text that an agent gets by default, with or without a question, within a budget of tokens.
 * Standing instructions come first; then the current state of the people and things that the question means, with
 * dates; then evidence as spoken, in the order of time. Every line has a number and its sources.
 *
 * A statement of a correction names its author. Every entry has a supporting utterance, and not only outdated sentences
 * or retracted utterances as its source. An utterance that says no more than the entries made from it is left out.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { sameName } from '@loomlog/schemas/names'
import { readDespiteDamage } from '../damage-tolerance.ts'
import { collectFailures, eachCandidate } from '../each-candidate.ts'
import { findEvidence } from '../find-evidence.ts'
import type { CandidateName, ScoredMemory } from '../memory.ts'
import { pack } from '../packing/pack.ts'
import { type Preparation, prepare } from '../preparation.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { RecallResult } from '../recall-result.ts'
import { defaultContextTokens } from '../request/choices.ts'
import { asksAboutPast, asksCourse } from '../request/past-question.ts'
import { type CheckedRequest, checkRequest, type RecallRequest } from '../request/request.ts'
import { exclusionsOf } from '../search/exclusions.ts'
import { memoizedTail } from '../search/log-tail.ts'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'
import { endedConclusions, type Spoken } from './conclusions.ts'
import { correctionAuthors } from './correction-authors.ts'
import { type CurrentEntry, currentEntries } from './current-entries.ts'
import { entryLine, timelineLine, withNotes } from './lines.ts'
import { newestUtterances } from './newest-utterances.ts'
import { withNoted } from './noted-instructions.ts'
import { type ContextItem, contextText, fittingInstructions, fittingLines, sectionHeadings } from './sections.ts'
import { isByRules } from './standing-entries.ts'
import { type StandingInstruction, standingInstructions } from './standing-instructions.ts'
import { timelineOf } from './timeline.ts'

export { contextParts } from './sections.ts'

export interface ContextRequest
  extends Pick<
    RecallRequest,
    'budgetTokens' | 'understanding' | 'filter' | 'exclude' | 'excludeLast' | 'asOf' | 'after' | 'maxWaitMs'
  > {
  /** `tenant/space` */
  readonly space: string
  /** Absent: the block has the newest entries of profiles, and the newest utterances. */
  readonly query?: string
  /**
   * The speaker of the request: the instructions of this speaker, and those for everybody. Absent: those of all, each
   * with its author.
   */
  readonly for?: string
}

export interface ContextBlock
  extends Pick<RecallResult, 'text' | 'tokens' | 'understood' | 'unsearched' | 'rebuilding' | 'failed'> {
  /** In the order of their numbers, which begin with 1. */
  readonly items: readonly ContextItem[]
}

/**
 * Shares of the budget that each part takes at most. Entries that a model planned are surer than those of rules; a
 * timeline takes its part of their share.
 */
const mostShare = { instruction: 1 / 8, byRules: 1 / 5, planned: 0.8, unasked: 1 / 2, timeline: 0.3 }
/**
 * Within such a budget, entries that a model planned have no day of telling: a further entry says more. So do the
 * instructions on other matters stay out, unless the request names whose it wants.
 */
const smallBudget = 300
/** A smaller budget has no room for a timeline beside the entries. */
const leastForTimeline = 500
/** Room for instructions within a small budget: at most these tokens, and this share. */
const leastRoom = { tokens: 80, share: 1 / 3 }
/** An utterance with this share of its words in the entries made from it says no more than they do. */
const sameShare = 0.8
/** The query of a request without a question: it passes the check, and nothing is searched with it. */
const noQuestion = '-'

/** @throws LoomlogError as `recall()` */
export async function contextBlock(
  { query, for: asker, ...request }: ContextRequest,
  options: RecallOptions,
): Promise<ContextBlock> {
  const budgetTokens = request.budgetTokens ?? defaultContextTokens
  const question = query?.trim() || null
  const checked = checkRequest({ ...request, query: question ?? noQuestion, budgetTokens }, options.views.tables)
  const preparation = prepare(checked, options)
  const asked = { ...checked, hasQuestion: question !== null, asker: asker === undefined ? null : askerFrom(asker) }
  return await readDespiteDamage(checked.spaces, options.views, async () => {
    const { options: collecting, failedField } = collectFailures(options)
    return { ...(await block(asked, preparation, collecting)), ...failedField() }
  })
}

async function block(
  { hasQuestion, asker, ...request }: CheckedRequest & { readonly hasQuestion: boolean; readonly asker: string | null },
  preparation: Preparation,
  options: RecallOptions,
): Promise<ContextBlock> {
  const [space = ''] = request.spaces
  const read = hasQuestion ? findEvidence : newestUtterances
  const { ranked, fields, tails } = await read(request, preparation, options)
  const [question = null] = hasQuestion ? (await preparation.question()).queries : []
  const tail = tails.get(space) ?? memoizedTail(space, options)
  const outdated = new Map(
    ranked
      .filter((each) => each.replacedBy ?? each.retractedBy)
      .map(
        ({ id, text, outdated, retractedBy }) =>
          [id, { text, sentences: (retractedBy ? null : outdated) ?? null }] as const,
      ),
  )
  const excluded = await exclusionsOf(request, [{ space, tail }], options)
  const isIncluded = (memory: ScoredMemory) => !excluded.some((excludes) => excludes(memory))
  const { scope, query } = request
  const budget = request.budgetTokens ?? defaultContextTokens
  const isAboutPast = hasQuestion && asksAboutPast(query)
  const [instructions, entries, timeline] = await Promise.all([
    standingInstructions({ space, scope, tail }, options).then((spoken) =>
      withNoted(spoken, { space, scope }, options),
    ),
    currentEntries(
      { space, scope, question: question && { ...question, isAboutPast, evidence: relativeScores(ranked) }, outdated },
      options,
    ),
    question !== null && asksCourse(query) && budget >= leastForTimeline
      ? timelineOf({ space, scope, question }, options.views)
      : null,
  ])
  const included = entries.filter(isIncluded)
  const most = Math.max(budget * mostShare.instruction, Math.min(leastRoom.tokens, budget * leastRoom.share))
  const heard = instructions.filter(isIncluded).flatMap((each) => (asker === null ? [each] : heldFor(each, asker)))
  const wanted = asker === null && hasQuestion && budget <= smallBudget ? related(heard, query) : heard
  const pinned = await fittingInstructions(byQuestion(wanted, hasQuestion ? query : ''), { most, ...options })
  const facts = ranked.filter(({ kind }) => kind !== 'utterance')
  const authors = await correctionAuthors(space, [...included, ...facts], options.views)
  const authorOf = ({ id }: ScoredMemory) => authors.get(id) ?? null
  const isPlanned = included.some(({ row }) => !isByRules(row))
  const concludedShare = mostShare[question === null ? 'unasked' : isPlanned ? 'planned' : 'byRules']
  const events = timeline?.events.filter(isIncluded).map((each) => timelineLine(each, timeline.title)) ?? []
  const course = await fittingLines('timeline', events, { most: budget * mostShare.timeline, ...options })
  const inCourse = tokensOf(contextText([course], []))
  const dated = included.map((entry) =>
    entryLine(entry, { author: authorOf(entry), isFiled: isPlanned, isShort: isPlanned && budget <= smallBudget }),
  )
  const holding = await fittingLines('holds', dated, { most: budget * concludedShare - inCourse, ...options })
  const sections = [pinned, holding, course]
  const lines = sections.flatMap((each) => each.lines.map(({ item }) => item))
  const shown = new Set(lines.map(({ id }) => id))
  const unshown = ranked.filter(({ id }) => !shown.has(id))
  const stated = included.filter(({ id }) => shown.has(id))
  const saysMore = await evidenceBeside(stated, { space, scope, memories: unshown, isAboutPast }, options)
  const evidence = saysMore.map((each) => withNotes(each, [authorOf(each)]))
  const rest = budget - tokensOf(contextText(sections, [])) - tokensOf(`${sectionHeadings.evidence}\n`)
  const packRequest = { ...request, budgetTokens: rest, ...(!hasQuestion && { scores: 'order' as const }) }
  const packed = rest < 1 ? [] : (await pack(evidence, packRequest, options)).items
  const items = [...lines, ...packed.map((each) => ({ ...each, part: 'evidence' as const }))]
  const text = contextText(sections, packed)
  return { items, text, tokens: tokensOf(text), ...fields }
}

/**
 * The memories that say more than the shown entries, each with a mark if conclusions from it ended. One whose
 * conclusions have all ended is evidence only for a question about the past.
 */
async function evidenceBeside(
  stated: readonly CurrentEntry[],
  { space, scope, memories, isAboutPast }: Spoken & { readonly isAboutPast: boolean },
  options: RecallOptions,
): Promise<readonly ScoredMemory[]> {
  const ended = await endedConclusions({ space, scope, memories }, options.views)
  const asked = memories.filter(({ id }) => isAboutPast || ended.get(id) !== 'all')
  const say = (each: ScoredMemory) => (isStated(each, stated) ? [] : [withEnd(each, ended.get(each.id))])
  return (await eachCandidate(asked, say, { ...options, nameOf: itself })).flat()
}

/** @throws LoomlogError `input-invalid` for an empty name */
function askerFrom(name: string): string {
  if (name.trim() === '') throw invalidInput('for', name, 'the name of a speaker')
  return sameName(name).toLowerCase()
}

/** Of another author only the sentences for everybody. */
function heldFor(instruction: StandingInstruction, asker: string): readonly StandingInstruction[] {
  if (sameName(instruction.speaker).toLowerCase() === asker) return [instruction]
  return instruction.forEverybody === null ? [] : [{ ...instruction, text: instruction.forEverybody }]
}

/** The likest first. The sort is stable, so the newest come first beside them. */
function byQuestion(instructions: readonly StandingInstruction[], question: string): readonly StandingInstruction[] {
  const asked = stemsOf(question).counts
  return instructions.toSorted((a, b) => sharedStems(b, asked).length - sharedStems(a, asked).length)
}

/** The share of an instruction's words that a question on its matter has. */
const leastShared = 0.2

/** A small budget has no room for the instructions on other matters, unless the request names whose it wants. */
function related(instructions: readonly StandingInstruction[], question: string): readonly StandingInstruction[] {
  const asked = stemsOf(question).counts
  return instructions.filter(
    (each) => sharedStems(each, asked).length >= Math.max(1, leastShared * stemsOf(each.text).counts.size),
  )
}

function sharedStems({ text }: StandingInstruction, asked: ReadonlyMap<string, number>): readonly string[] {
  return [...stemsOf(text).counts.keys()].filter((stem) => asked.has(stem))
}

/** Of utterances, beside the best one. */
function relativeScores(ranked: readonly ScoredMemory[]): ReadonlyMap<string, number> {
  const spoken = ranked.filter(({ kind }) => kind === 'utterance')
  const best = Math.max(Number.MIN_VALUE, ...spoken.map(({ score }) => score))
  return new Map(spoken.map(({ id, score }) => [id, score / best]))
}

function itself(memory: ScoredMemory): CandidateName {
  return memory
}

/** A mark that the ranking gave stays. */
function withEnd(memory: ScoredMemory, ended: 'all' | 'some' | undefined): ScoredMemory {
  return ended === undefined || memory.replacedBy !== undefined ? memory : { ...memory, ended }
}

/** Whether the shown entries that were made from the same evidence hold nearly all words of an utterance or a fact. */
function isStated({ sources, text, speaker }: ScoredMemory, entries: readonly CurrentEntry[]): boolean {
  const from = entries.filter((entry) => entry.sources.some((source) => sources.includes(source)))
  if (from.length === 0) return false
  const known = new Set([speaker, ...from.map((each) => each.text)].flatMap((each) => [...stemsOf(each).counts.keys()]))
  const own = [...stemsOf(text).counts.keys()]
  return own.filter((stem) => known.has(stem)).length >= sameShare * own.length
}
