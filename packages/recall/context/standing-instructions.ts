/**
 * Standing instructions of people to agents, such as `always show code with comments`. They hold for every question, so
 * the context has them even if they share no word with it. A later instruction replaces the earlier one that it
 * changes, or the changed sentence.
 */
import { and, equals, oneOf } from '@loomlog/views/condition'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { eachCandidate } from '../each-candidate.ts'
import { byTime, type Memory, memoryOfUtterance, type ScoredMemory } from '../memory.ts'
import { TextCues } from '../ranking/text-cues.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf, isInScope, momentOf } from '../request/filter.ts'
import type { CandidateSearch } from '../search/candidate-search.ts'
import { isFuture } from '../search/holding-entries.ts'
import type { Tail } from '../search/log-tail.ts'
import type { Replacements } from '../search/replacements.ts'
import { retractionsOf } from '../search/retractions.ts'
import { readMemory, withChanges } from '../search/stated-changes.ts'
import { memoriesOfTail } from '../search/tail-candidates.ts'
import { sentencesWithout, withoutSpeaker } from '../search/wording.ts'
import { stemsOf } from '../text/stems.ts'

/** Every instruction has at least one of these words. The first two are searched apart, because the others are frequent. */
const cueWords = ['always never', 'now going forward whenever ask want request mention']
/** Best messages of each search that are read. */
const maxHits = 1_000
/** Conversations with the newest instructions, in which an agent is looked for: one count each. */
const maxConversations = 200
/** Newest instructions that are compared and returned. */
const maxInstructions = 200
/** A longer message holds an instruction among other matters. */
const maxCharacters = 600

interface InstructionSearch extends Pick<CandidateSearch, 'space' | 'scope'> {
  readonly tail: () => Promise<Tail>
}

/** The newest first. */
export async function standingInstructions(
  { space, scope, tail }: InstructionSearch,
  { views, ...options }: Pick<RecallOptions, 'views' | 'onCandidateFailure' | 'signal'>,
): Promise<readonly ScoredMemory[]> {
  // The tail is read before the views: an utterance that moves into a view meanwhile is then found twice, not never.
  const inTail = (await tail()).utterances
  const moment = momentOf(scope.asOf)
  const nameOf = (memory: Memory) => memory
  const ofPeople = inTail.filter(({ event }) => event.role === 'human' && isInScope(event, scope))
  const said = [...(await messagesInViews({ space, scope }, { views })), ...(await memoriesOfTail(ofPeople, options))]
  const ofNow = said.filter((message) => !isFuture(message, moment))
  const instructing = await eachCandidate(ofNow, (each) => (instructs(each) ? [each] : []), { ...options, nameOf })
  const messages = instructing.flat().toSorted((a, b) => byTime(b, a))
  if (messages.length === 0) return []
  const withAgent = await conversationsWithAgents(space, messages, { views })
  for (const { event } of inTail) if (event.role === 'agent') withAgent.add(event.conversation)
  const distinct = new Map(messages.map((memory) => [memory.id, memory])).values()
  const newest = [...distinct].filter(({ conversation }) => withAgent.has(conversation)).slice(0, maxInstructions)
  const read = (memory: Memory) => {
    readMemory(memory)
    return { memory, role: 'human' as const }
  }
  const instructions = await eachCandidate(newest, read, { ...options, nameOf })
  const ids = instructions.map(({ memory }) => memory.id)
  const changed = withChanges(new Map(), instructions, new Set(ids), moment)
  const retracted = await retractionsOf(ids, { space, scope }, { views })
  return instructions
    .flatMap(({ memory }) => (retracted.has(memory.id) ? [] : standing({ ...memory, score: 1 }, changed)))
    .toSorted((a, b) => byTime(b, a))
}

async function messagesInViews(
  { space, scope }: Pick<InstructionSearch, 'space' | 'scope'>,
  { views }: Pick<RecallOptions, 'views'>,
): Promise<readonly Memory[]> {
  const where = and(conditionOf(scope), equals('role', 'human'))
  const searches = cueWords.map((query) => views.fullText(utteranceTable, { space, query, where, limit: maxHits }))
  return (await Promise.all(searches)).flat().map(({ row }) => memoryOfUtterance(row))
}

/** The message, with its outdated sentences, if its other sentences are still an instruction. */
function standing(message: ScoredMemory, changed: Replacements): readonly ScoredMemory[] {
  const { by = [], sentences = null } = changed.get(message.id) ?? {}
  if (by.length === 0) return [message]
  if (sentences === null) return []
  const outdated = [...sentences.keys()]
  const rest = sentencesWithout(withoutSpeaker(message), outdated).join(' ')
  return instructs({ ...message, text: rest }) ? [{ ...message, replacedBy: by, outdated }] : []
}

function instructs(message: Pick<Memory, 'text' | 'speaker'>): boolean {
  if (message.text.length > maxCharacters + message.speaker.length + 2) return false
  const words = withoutSpeaker(message)
  const cues = new TextCues(words)
  if (cues.isInstruction === 0 || cues.endsWithQuestionMark === 1 || /\bnever mind\b/i.test(words)) return false
  return stemsOf(words).length > 2
}

/** @param messages the newest first */
async function conversationsWithAgents(
  space: string,
  messages: readonly Memory[],
  { views }: Pick<RecallOptions, 'views'>,
): Promise<Set<string>> {
  const conversations = [...new Set(messages.map(({ conversation }) => conversation))].slice(0, maxConversations)
  const counts = conversations.map((conversation) =>
    views.count(utteranceTable, { space, where: and(oneOf('conversation', [conversation]), equals('role', 'agent')) }),
  )
  const found = await Promise.all(counts)
  return new Set(conversations.filter((_, at) => (found[at] ?? 0) > 0))
}
