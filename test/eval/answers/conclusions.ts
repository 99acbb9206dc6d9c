/**
 * Conclusions of a memory against the marks of the corpus: endings of entries, and the roles of facts. An ending is
 * right if a message that the ended entry cites is outdated by a message that its successor cites, over several changes
 * too; a marked change is found if some right ending is about it. Marks are not complete: an ending may be right
 * without one. A role is wrong if a fact about a person, from a message of that person, stands under the role of an
 * agent.
 */
import { isEvent, type LogEvent } from '@loomlog/schemas/events'
import { sameName } from '@loomlog/schemas/names'
import { type CorpusConversation, type MarkedMessage, successorsOf } from '../corpus/conversation.ts'
import { share } from '../corpus/measure.ts'
import { messageOf } from '../evidence/message-of.ts'

export function conclusionsOf(events: readonly LogEvent[], conversations: readonly CorpusConversation[]) {
  const retracted = new Set(events.filter((event) => isEvent('FactRetracted', event)).map(({ fact }) => fact))
  const facts = events.filter((event) => isEvent('FactRecorded', event)).filter(({ id }) => !retracted.has(id))
  return {
    facts: facts.length,
    entries: events.filter((event) => isEvent('EntryWritten', event)).length,
    endings: endingsOf(events, conversations),
    roles: rolesOf(
      facts,
      conversations.flatMap(({ messages }) => messages),
    ),
  }
}

interface Ending {
  /** Messages that the ended entry cites. */
  readonly old: readonly string[]
  readonly by: readonly string[]
}

function endingsOf(events: readonly LogEvent[], conversations: readonly CorpusConversation[]) {
  const outdatedBy = new Map(conversations.flatMap((each) => [...successorsOf(each)]))
  const endings = endedEntries(events)
  const right = endings.filter(({ old, by }) => old.some((id) => by.some((newer) => outdatedBy.get(id)?.has(newer))))
  const changes = conversations.flatMap(({ messages }) =>
    messages.flatMap(({ id, changes }) => changes.map(({ was }) => ({ was, by: id }))),
  )
  const found = changes.filter(({ was, by }) =>
    endings.some(
      (ending) =>
        ending.old.some((id) => was.includes(id)) &&
        ending.by.some((id) => id === by || outdatedBy.get(by)?.has(id) === true),
    ),
  )
  return {
    endings: endings.length,
    right: right.length,
    precision: share(right.length, endings.length),
    changes: changes.length,
    found: found.length,
  }
}

function endedEntries(events: readonly LogEvent[]): readonly Ending[] {
  const written = events.filter((event) => isEvent('EntryWritten', event))
  const cited = new Map(written.map(({ id, sources }) => [id, sources.map(messageOf)]))
  return events
    .filter((event) => isEvent('EntryRetired', event))
    .filter(({ reason }) => reason === 'superseded')
    .flatMap(({ entry, by }) => {
      const [old, current] = [cited.get(entry), cited.get(by ?? '')]
      return old === undefined || current === undefined ? [] : [{ old, by: current }]
    })
}

/** A fact as far as its role is judged. */
export interface StatedFact {
  readonly subject: string
  readonly role: string
  readonly sources: readonly string[]
}

export function rolesOf(
  facts: readonly StatedFact[],
  messages: readonly Pick<MarkedMessage, 'id' | 'speaker' | 'role'>[],
) {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const ofPersons = facts.filter(({ subject, sources }) =>
    sources.map(messageOf).some((id) => {
      const message = byId.get(id)
      return message?.role === 'human' && sameName(message.speaker).toLowerCase() === sameName(subject).toLowerCase()
    }),
  )
  return { ofPersons: ofPersons.length, underAgent: ofPersons.filter(({ role }) => role === 'agent').length }
}
