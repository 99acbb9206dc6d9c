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
import { byTime, type CandidateName, type ScoredMemory } from '../memory.ts'
import { evidenceLine, evidenceText } from '../packing/evidence-text.ts'
import { pack } from '../packing/pack.ts'
import { type Preparation, prepare } from '../preparation.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { Evidence, RecallResult } from '../recall-result.ts'
import { defaultContextTokens } from '../request/choices.ts'
import { type CheckedRequest, checkRequest, type RecallRequest } from '../request/request.ts'
import { exclusionsOf } from '../search/exclusions.ts'
import { memoizedTail } from '../search/log-tail.ts'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'
import { correctionAuthors } from './correction-authors.ts'
import { type CurrentEntry, currentEntries } from './current-entries.ts'
import { timesText } from './entry-times.ts'
import { newestUtterances } from './newest-utterances.ts'
import { type StandingInstruction, standingInstructions } from './standing-instructions.ts'

export interface ContextRequest
  extends Pick<RecallRequest, 'budgetTokens' | 'filter' | 'exclude' | 'excludeLast' | 'asOf' | 'after' | 'maxWaitMs'> {
  /** `tenant/space` */
  readonly space: string
  /** Absent: the block has the newest entries of profiles, and the newest utterances. */
  readonly query?: string
  /** The speaker of the request: the instructions of this speaker, and those for everybody. Absent: those of all, each with its author. */
  readonly for?: string
}

export const contextParts = ['instruction', 'holds', 'evidence'] as const
export type ContextPart = (typeof contextParts)[number]

export interface ContextItem extends Evidence {
  readonly part: ContextPart
}

export interface ContextBlock extends Pick<RecallResult, 'text' | 'tokens' | 'unsearched' | 'rebuilding' | 'failed'> {
  /** In the order of their numbers, which begin with 1. */
  readonly items: readonly ContextItem[]
}

/** Shares of the budget that instructions and entries take at most. */
const mostShare = { instruction: 1 / 8, holds: 1 / 5, holdsUnasked: 1 / 2 }
/** Room for instructions within a small budget: at most these tokens, and this share. */
const leastRoom = { tokens: 80, share: 1 / 3 }
/** Of several authors, none takes more than this share of the room for instructions. */
const mostOfAuthor = 1 / 3
/** An utterance with this share of its words in the entries made from it says no more than they do. */
const sameShare = 0.8
/** The query of a request without a question: it passes the check, and nothing is searched with it. */
const noQuestion = '-'
const headings: { readonly [part in ContextPart]: string } = {
  instruction: 'Standing instructions',
  holds: 'Holds now',
  evidence: 'As spoken',
}

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
  const [instructions, entries] = await Promise.all([
    standingInstructions({ space, scope: request.scope, tail }, options),
    currentEntries({ space, scope: request.scope, question, outdated }, options),
  ]).then(([these, those]) => [these.filter(isIncluded), those.filter(isIncluded)] as const)
  const budget = request.budgetTokens ?? defaultContextTokens
  const most = Math.max(budget * mostShare.instruction, Math.min(leastRoom.tokens, budget * leastRoom.share))
  const heard = asker === null ? instructions : instructions.flatMap((each) => heldFor(each, asker))
  const pinned = await fitting('instruction', byQuestion(heard, hasQuestion ? request.query : ''), { most, ...options })
  const holdsShare = question === null ? mostShare.holdsUnasked : mostShare.holds
  const facts = ranked.filter(({ kind }) => kind !== 'utterance')
  const authors = await correctionAuthors(space, [...entries, ...facts], options.views)
  const authorOf = ({ id }: ScoredMemory) => authors.get(id) ?? null
  const noted = entries.map(({ times, ...entry }) => withNotes(entry, [timesText(times, entry.text), authorOf(entry)]))
  const holding = await fitting('holds', noted, { most: budget * holdsShare, ...options })
  const lines = [...pinned, ...holding]
  const shown = new Set(lines.map(({ id }) => id))
  const stated = entries.filter(({ id }) => shown.has(id))
  const unshown = ranked.filter(({ id }) => !shown.has(id))
  const saysMore = await eachCandidate(unshown, (each) => (isStated(each, stated) ? [] : [each]), {
    ...options,
    nameOf: itself,
  })
  const evidence = saysMore.flat().map((each) => withNotes(each, [authorOf(each)]))
  const before = sectionsOf(lines, [])
  const rest = budget - tokensOf(before) - tokensOf(`${headings.evidence}\n`)
  const packRequest = { ...request, budgetTokens: rest, ...(!hasQuestion && { scores: 'order' as const }) }
  const packed = rest < 1 ? [] : (await pack(evidence, packRequest, options)).items
  const items = [...lines, ...packed.map((each) => ({ ...each, part: 'evidence' as const }))]
  const text = sectionsOf(lines, packed)
  const { unsearched } = fields
  return { items, text, tokens: tokensOf(text), ...(unsearched !== undefined && { unsearched }) }
}

/** The first memories that fit, as lines without numbers. Instructions are in the order of time. */
async function fitting(
  part: 'instruction' | 'holds',
  memories: readonly ScoredMemory[],
  { most, ...options }: RecallOptions & { readonly most: number },
): Promise<readonly ContextItem[]> {
  const items: ContextItem[] = []
  let used = tokensOf(`${headings[part]}\n`)
  const authors = new Map<string, number>()
  const mostOfOne =
    part === 'instruction' && new Set(memories.map(({ speaker }) => speaker)).size > 1 ? most * mostOfAuthor : most
  const fit = (memory: ScoredMemory) => {
    const tokens = tokensOf(evidenceLine(1, memory))
    const ofAuthor = (authors.get(memory.speaker) ?? 0) + tokens
    if (used + tokens > most || (authors.has(memory.speaker) && ofAuthor > mostOfOne)) return
    used += tokens
    authors.set(memory.speaker, ofAuthor)
    items.push({ ...memory, tokens, part })
  }
  await eachCandidate(memories, fit, { ...options, nameOf: itself })
  return part === 'instruction' ? items.toSorted(byTime) : items
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

/** Those that share words with the question first. The sort is stable, so the newest come first beside them. */
function byQuestion(instructions: readonly StandingInstruction[], question: string): readonly StandingInstruction[] {
  const asked = stemsOf(question).counts
  const shared = ({ text }: StandingInstruction) =>
    [...stemsOf(text).counts.keys()].filter((stem) => asked.has(stem)).length
  return instructions
    .map((instruction) => ({ instruction, words: shared(instruction) }))
    .toSorted((a, b) => b.words - a.words)
    .map(({ instruction }) => instruction)
}

function itself(memory: ScoredMemory): CandidateName {
  return memory
}

function withNotes<T extends ScoredMemory>(memory: T, notes: readonly (string | null)[]): T {
  const given = notes.filter((note) => note !== null)
  return given.length === 0 ? memory : { ...memory, text: `${memory.text} (${given.join(', ')})` }
}

/** Whether the shown entries that were made from the same evidence hold nearly all words of an utterance or a fact. */
function isStated({ sources, text, speaker }: ScoredMemory, entries: readonly CurrentEntry[]): boolean {
  const from = entries.filter((entry) => entry.sources.some((source) => sources.includes(source)))
  if (from.length === 0) return false
  const known = new Set([speaker, ...from.map((each) => each.text)].flatMap((each) => [...stemsOf(each).counts.keys()]))
  const own = [...stemsOf(text).counts.keys()]
  return own.filter((stem) => known.has(stem)).length >= sameShare * own.length
}

function sectionsOf(lines: readonly ContextItem[], evidence: readonly Evidence[]): string {
  let text = ''
  for (const part of ['instruction', 'holds'] as const) {
    const own = lines.filter((each) => each.part === part)
    if (own.length === 0) continue
    const first = lines.indexOf(own[0] as ContextItem) + 1
    text += `${headings[part]}\n${own.map((each, at) => evidenceLine(first + at, each)).join('')}`
  }
  return evidence.length === 0 ? text : `${text}${headings.evidence}\n${evidenceText(evidence, lines.length + 1)}`
}
