/**
 * Standing instructions: a person tells an agent how to do things from then on (`always show code with comments`). They hold for every question,
 * so they are in the context whether or not they share a word with it. A later instruction that changes an earlier one replaces it.
 */
import { and, equals, oneOf } from '@loomlog/views/condition'
import { type UtteranceRow, utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { byTime, memoryOf, type Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf, type Scope } from '../request/scope.ts'
import { withChanges } from '../search/replacements.ts'
import { retractionsIn } from '../search/retractions.ts'
import { wordingOf } from '../search/wording.ts'

/** Words of which an instruction has at least one. */
const cueWords = 'always never now going forward whenever ask want request mention'
const maxHits = 200
const maxConversations = 50
/** A longer message holds an instruction among other matters. */
const maxCharacters = 600

/** The newest first. */
export async function standingInstructions(
  { space, scope }: { readonly space: string; readonly scope: Scope },
  { views }: RecallOptions,
): Promise<readonly Scored[]> {
  const where = and(conditionOf(scope), equals('role', 'human'))
  const hits = await views.fullText(utteranceTable, { space, query: cueWords, where, limit: maxHits })
  const told = hits.map(({ row }) => row).filter(instructs)
  if (told.length === 0) return []
  const withAgent = await conversationsWithAgents(space, told, { views })
  const instructions = told
    .filter(({ conversation }) => withAgent.has(conversation))
    .map((row) => ({ memory: memoryOf('utterance', row), role: 'human' as const }))
  const changed = withChanges(new Map(), instructions, new Set(instructions.map(({ memory }) => memory.id)))
  const retracted = await retractionsIn({ space, scope }, { views })
  return instructions
    .map(({ memory }) => ({ ...memory, score: 1 }))
    .filter(({ id }) => !changed.has(id) && !retracted.has(id))
    .toSorted((a, b) => byTime(b, a))
}

function instructs(row: UtteranceRow): boolean {
  if (row.text.length > maxCharacters + row.speaker.length + 2) return false
  const { words, stems, cues } = wordingOf(row)
  const isOther = cues.endsWithQuestionMark === 1 || /\bnever mind\b/i.test(words)
  return !isOther && stems.length > 2 && cues.isInstruction === 1
}

async function conversationsWithAgents(
  space: string,
  rows: readonly UtteranceRow[],
  { views }: Pick<RecallOptions, 'views'>,
): Promise<ReadonlySet<string>> {
  const conversations = [...new Set(rows.map(({ conversation }) => conversation))].slice(0, maxConversations)
  const counts = conversations.map((conversation) =>
    views.count(utteranceTable, { space, where: and(oneOf('conversation', [conversation]), equals('role', 'agent')) }),
  )
  const found = await Promise.all(counts)
  return new Set(conversations.filter((_, at) => (found[at] ?? 0) > 0))
}
