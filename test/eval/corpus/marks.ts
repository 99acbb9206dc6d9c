/**
 * Marks of change: every mark that recall and the context show for the questions of a conversation, and every entry
 * that another one replaced, against the marked changes. A mark is right if a message that the old one cites is
 * outdated by a message that the new one cites, over several changes too. `npm run eval -- corpus marks`.
 */
import { contextBlock } from '@loomlog/recall/context-block'
import type { ScoredMemory } from '@loomlog/recall/memory'
import { recall } from '@loomlog/recall/recall'
import { isEvent } from '@loomlog/schemas/events'
import { messageOf } from '../evidence/message-of.ts'
import { type CorpusConversation, successorsOf } from './conversation.ts'
import { type CorpusMeasure, type JudgedMemory, share } from './measure.ts'

/** Pieces of evidence that count. */
const limit = 10

interface Mark {
  readonly where: 'evidence' | 'entry'
  /** Messages that the old memory cites. */
  readonly old: readonly string[]
  readonly by: readonly string[]
  readonly isRight: boolean
}

interface UpdateQuestion {
  readonly ask: string
  readonly hasBoth: boolean
  readonly hasCurrent: boolean
  /** An outdated message comes before every current one. */
  readonly isStaleFirst: boolean
  /** The same, without a mark at the outdated message. */
  readonly isUnmarked: boolean
}

interface ConversationMarks {
  readonly marks: readonly Mark[]
  readonly changes: readonly {
    readonly ask: string
    readonly was: readonly string[]
    readonly by: string
    readonly isMarked: boolean
  }[]
  readonly updates: readonly UpdateQuestion[]
  readonly texts: ReadonlyMap<string, string>
}

export const marksMeasure: CorpusMeasure<ConversationMarks> = {
  name: 'marks',
  of: marksOf,
  figures(of) {
    const marks = of.flatMap((each) => each.marks)
    const changes = of.flatMap((each) => each.changes)
    const updates = of.flatMap((each) => each.updates)
    const both = updates.filter(({ hasBoth }) => hasBoth)
    const count = <T>(all: readonly T[], passes: (each: T) => boolean) => all.filter(passes).length
    return {
      marks: marks.length,
      right: count(marks, ({ isRight }) => isRight),
      precision: share(
        count(marks, ({ isRight }) => isRight),
        marks.length,
      ),
      entries: count(marks, ({ where }) => where === 'entry'),
      entriesRight: count(marks, ({ where, isRight }) => where === 'entry' && isRight),
      changes: changes.length,
      changesMarked: count(changes, ({ isMarked }) => isMarked),
      updates: updates.length,
      withCurrent: count(updates, ({ hasCurrent }) => hasCurrent),
      newerFirst: count(both, ({ isStaleFirst }) => !isStaleFirst),
      both: both.length,
      staleFirst: share(
        count(updates, ({ isStaleFirst }) => isStaleFirst),
        updates.length,
      ),
      staleUnmarked: share(
        count(updates, ({ isUnmarked }) => isUnmarked),
        updates.length,
      ),
    }
  },
  lines({ marks, changes, texts, updates }) {
    const said = (ids: readonly string[]) =>
      ids.map((id) => `[${id}] ${(texts.get(id) ?? '').slice(0, 160)}`).join(' | ')
    return [
      ...marks.map(
        (each) => `${each.isRight ? 'right' : 'WRONG'} ${each.where}: ${said(each.old)} -> ${said(each.by)}`,
      ),
      ...changes.flatMap((each) => (each.isMarked ? [] : [`missed: ${said(each.was)} -> ${said([each.by])}`])),
      ...updates.flatMap((each) => (each.isStaleFirst ? [`stale first: ${each.ask}`] : [])),
    ]
  },
}

async function marksOf(
  conversation: CorpusConversation,
  { space, memory, events }: JudgedMemory,
): Promise<ConversationMarks> {
  const outdatedBy = successorsOf(conversation)
  const marks = new Map<string, Mark>()
  const isRight = (old: readonly string[], by: readonly string[]) =>
    old.some((id) => by.some((newer) => outdatedBy.get(id)?.has(newer)))
  const add = (where: Mark['where'], old: readonly string[], by: readonly string[]) =>
    marks.set(`${where} ${old} ${by}`, { where, old, by, isRight: isRight(old, by) })
  const facts = new Map(events.flatMap((event) => ('sources' in event ? [[event.id, event.sources] as const] : [])))

  async function ask(query: string): Promise<readonly ScoredMemory[]> {
    const { items } = await recall({ space, query, limit }, memory)
    const context = await contextBlock({ space, query }, memory)
    const shown = new Map([...items, ...context.items].map((each) => [each.id, each.sources]))
    const sources = (id: string) => (shown.get(id) ?? facts.get(id) ?? [id]).map(messageOf)
    for (const { id, replacedBy = [] } of [...items, ...context.items])
      for (const by of replacedBy) add('evidence', sources(id), sources(by))
    return items
  }

  const questions = conversation.questions.filter(({ kind }) => kind !== 'never')
  const updates: UpdateQuestion[] = []
  for (const { ask: query, kind, gold, stale } of questions) {
    const items = await ask(query)
    if (kind === 'current' && stale.length > 0) updates.push(updateOf(query, items, { gold, stale }))
  }
  const asked = conversation.messages.flatMap(({ id, changes }) => changes.map((change) => ({ ...change, by: id })))
  for (const { ask: query } of asked) await ask(query)
  for (const { old, by } of replacedEntries(events)) add('entry', old, by)
  const changes = asked.map(({ ask: query, was, by }) => {
    const isMarked = [...marks.values()].some(
      (mark) =>
        mark.old.some((id) => was.includes(id)) && mark.by.some((id) => id === by || outdatedBy.get(by)?.has(id)),
    )
    return { ask: query, was, by, isMarked }
  })
  const texts = new Map(conversation.messages.map(({ id, speaker, text }) => [id, `${speaker}: ${text}`]))
  return { marks: [...marks.values()], changes, updates, texts }
}

function updateOf(
  ask: string,
  items: readonly ScoredMemory[],
  { gold, stale }: { readonly gold: readonly string[]; readonly stale: readonly string[] },
): UpdateQuestion {
  const place = (ids: readonly string[]) => items.findIndex(({ id }) => ids.includes(messageOf(id)))
  const [current, outdated] = [place(gold), place(stale)]
  const isStaleFirst = outdated >= 0 && (current < 0 || outdated < current)
  return {
    ask,
    hasBoth: current >= 0 && outdated >= 0,
    hasCurrent: current >= 0,
    isStaleFirst,
    isUnmarked: isStaleFirst && items[outdated]?.replacedBy === undefined,
  }
}

/** Entries that others replaced, by the messages that each cites. */
function replacedEntries(events: JudgedMemory['events']): readonly Pick<Mark, 'old' | 'by'>[] {
  const written = events.filter((event) => isEvent('EntryWritten', event))
  const entries = new Map(written.map(({ id, sources }) => [id, sources.map(messageOf)]))
  return events
    .filter((event) => isEvent('EntryRetired', event))
    .filter(({ reason }) => reason === 'superseded')
    .flatMap(({ entry, by }) => {
      const [old, current] = [entries.get(entry), entries.get(by ?? '')]
      return old === undefined || current === undefined ? [] : [{ old, by: current }]
    })
}
