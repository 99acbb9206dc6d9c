/**
 * Standing instructions of people to agents, such as `always show code with comments`. They hold for every question, so
 * the context has them even if they share no word with it. An instruction holds for its author, unless it says that it
 * is for everybody. An utterance whose key may not instruct has none. A later one of the same author replaces the
 * earlier one that it changes, or the changed sentence.
 */
import { and, equals, oneOf } from '@loomlog/views/condition'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { eachCandidate } from '../each-candidate.ts'
import { byTime, type Memory, memoryOfUtterance, type ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf, isInScope, momentOf } from '../request/filter.ts'
import type { CandidateSearch } from '../search/candidate-search.ts'
import { isFuture } from '../search/holding-entries.ts'
import type { Tail } from '../search/log-tail.ts'
import type { Replacements } from '../search/replacements.ts'
import { retractionsOf } from '../search/retractions.ts'
import { readMemory, withChanges } from '../search/stated-changes.ts'
import { memoriesOfTail } from '../search/tail-candidates.ts'
import { withoutSpeaker } from '../search/wording.ts'
import { type Instruction, instructionsIn, mayInstruct } from './instruction-rules.ts'
import { changesMatter } from './same-matter.ts'

/**
 * Nearly every instruction has at least one of these words. The first ones are searched apart, because the others are
 * frequent.
 */
const cueWords = [
  'always never from now future whenever rule rules everyone everybody',
  'immer nie künftig jetzt zukunft bitte nenn toujours jamais désormais dorénavant avenir chaque appelle siempre nunca adelante cada llámame',
  '以后 今后 从现在起 每次 总是 一律 これから 今後 毎回 いつも 必ず',
  'please pls keep call avoid show give answers short when ask want request for me',
]
/** Best messages of each search that are read. */
const maxHits = 1_000
/** Conversations with the newest instructions, in which an agent is looked for: one count each. */
const maxConversations = 200
/** Newest instructions that are compared and returned. */
const maxInstructions = 200
/** Newest messages of agents in a conversation, for their names. */
const maxOfAgents = 50
/** Only a shorter message is read for instructions. */
const maxCharacters = 2_000

interface InstructionSearch extends Pick<CandidateSearch, 'space' | 'scope'> {
  readonly tail: () => Promise<Tail>
}

export interface StandingInstruction extends ScoredMemory {
  /** The text with the sentences for everybody alone; null: there are none. */
  readonly forEverybody: string | null
}

/** The newest first. The text has the author and the sentences that are an instruction. */
export async function standingInstructions(
  { space, scope, tail }: InstructionSearch,
  { views, ...options }: Pick<RecallOptions, 'views' | 'onCandidateFailure' | 'signal'>,
): Promise<readonly StandingInstruction[]> {
  // The tail is read before the views: an utterance that moves into a view meanwhile is then found twice, not never.
  const inTail = (await tail()).utterances
  const moment = momentOf(scope.asOf)
  const nameOf = (memory: Memory) => memory
  const ofPeople = inTail.filter(({ event }) => event.role === 'human' && event.canInstruct && isInScope(event, scope))
  const said = [...(await messagesInViews({ space, scope }, { views })), ...(await memoriesOfTail(ofPeople, options))]
  const ofNow = said.filter(
    (message) =>
      !isFuture(message, moment) && message.text.length <= maxCharacters && mayInstruct(withoutSpeaker(message)),
  )
  const distinct = [...new Map(ofNow.map((memory) => [memory.id, memory])).values()].toSorted((a, b) => byTime(b, a))
  if (distinct.length === 0) return []
  const agents = await agentsOf(space, distinct, { views })
  for (const { event } of inTail) {
    if (event.role === 'agent')
      agents.set(event.conversation, (agents.get(event.conversation) ?? new Set<string>()).add(event.speaker))
  }
  const read = (memory: Memory) => {
    const names = [...(agents.get(memory.conversation) ?? [])]
    const instructions = names.length === 0 ? [] : instructionsIn(withoutSpeaker(memory), names)
    if (instructions.length === 0) return []
    readMemory(memory)
    return [{ memory, instructions, role: 'human' as const }]
  }
  const newest = (await eachCandidate(distinct, read, { ...options, nameOf })).flat().slice(0, maxInstructions)
  const ids = newest.map(({ memory }) => memory.id)
  const changed = withChanges(new Map(), newest, new Set(ids), moment)
  const retracted = await retractionsOf(ids, { space, scope }, { views })
  const later: (Instruction & { readonly speaker: string })[] = []
  return newest.flatMap(({ memory, instructions }) => {
    if (retracted.has(memory.id)) return []
    const ofSpeaker = later.filter(({ speaker }) => speaker === memory.speaker)
    const current = instructions.filter((each) => !ofSpeaker.some((newer) => changesMatter(newer, each)))
    for (const each of instructions) later.push({ ...each, speaker: memory.speaker })
    return standing(memory, current, changed)
  })
}

async function messagesInViews(
  { space, scope }: Pick<InstructionSearch, 'space' | 'scope'>,
  { views }: Pick<RecallOptions, 'views'>,
): Promise<readonly Memory[]> {
  const where = and(conditionOf(scope), equals('role', 'human'), equals('canInstruct', true))
  const searches = cueWords.map((query) => views.fullText(utteranceTable, { space, query, where, limit: maxHits }))
  return (await Promise.all(searches)).flat().map(({ row }) => memoryOfUtterance(row))
}

function standing(
  memory: Memory,
  instructions: readonly Instruction[],
  changed: Replacements,
): readonly StandingInstruction[] {
  const { by = [], sentences = null } = changed.get(memory.id) ?? {}
  if (by.length > 0 && sentences === null) return []
  const outdated = [...(sentences?.keys() ?? [])]
  const current = instructions.filter(
    ({ sentence }) => !outdated.some((each) => each.includes(sentence) || sentence.includes(each)),
  )
  if (current.length === 0) return []
  const textOf = (some: readonly Instruction[]) =>
    `${memory.speaker}: ${some.map(({ sentence }) => sentence).join(' ')}`
  const ofAll = current.filter((each) => each.isForEverybody)
  return [{ ...memory, text: textOf(current), score: 1, forEverybody: ofAll.length === 0 ? null : textOf(ofAll) }]
}

/**
 * The names of the agents by conversation.
 * @param messages the newest first
 */
async function agentsOf(
  space: string,
  messages: readonly Memory[],
  { views }: Pick<RecallOptions, 'views'>,
): Promise<Map<string, Set<string>>> {
  const conversations = [...new Set(messages.map(({ conversation }) => conversation))].slice(0, maxConversations)
  const found = await Promise.all(
    conversations.map((conversation) =>
      views.scan(utteranceTable, {
        space,
        where: and(oneOf('conversation', [conversation]), equals('role', 'agent')),
        orderBy: [{ by: 'at', direction: 'descending' }],
        limit: maxOfAgents,
      }),
    ),
  )
  return new Map(conversations.map((name, at) => [name, new Set(found[at]?.map(({ speaker }) => speaker))]))
}
