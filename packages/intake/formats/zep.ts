/**
 * Sessions of Zep (until version 2), or threads (from version 3), with their messages and facts: a list, an object with
 * `sessions` or `threads`, or one of them. Each is a conversation in the space of its user. A fact is an utterance of
 * `zep`, an agent, in a conversation of its own, as it is a conclusion and no message; one that Zep holds for outdated
 * is left out.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import {
  type Entry,
  type EntryResult,
  entriesAt,
  entryAt,
  type Fields,
  type Format,
  fieldsOf,
  type LeftOut,
  listOf,
} from './format.ts'

const roles: { readonly [role: string]: string } = {
  user: 'human',
  assistant: 'agent',
  system: 'system',
  tool: 'tool',
  function: 'tool',
  norole: 'human',
}
const lists = ['sessions', 'threads'] as const

export const zep: Format = {
  expected: 'sessions or threads of Zep, such as [{"session_id":"s1","user_id":"maya","messages":[…]}]',
  isFirstValue: (value) => isThread(value) || lists.some((name) => Array.isArray(value[name])),
  reader: (options) =>
    function* ({ value }) {
      const fields = fieldsOf(value, 'the session')
      const name = lists.find((each) => Array.isArray(fields[each]))
      if (name === undefined) yield* threadEntries(fields, '', options)
      else
        for (const [at, thread] of listOf(fields[name], name).entries())
          yield* entriesAt(`${name}[${at}]`, () => threadEntries(thread, `${name}[${at}].`, options))
    },
}

interface ThreadOptions {
  readonly space: string | null
  readonly speaker: string
}

interface Thread {
  readonly id: string
  readonly user: string
  readonly createdAt: unknown
  /** Undefined: that of the command, as no user is named. */
  readonly space: string | undefined
}

function* threadEntries(given: unknown, prefix: string, { space, speaker }: ThreadOptions): Iterable<EntryResult> {
  const fields = fieldsOf(given, 'the session')
  const thread = threadOf(fields, space, speaker)
  for (const [at, message] of listOf(fields.messages ?? [], 'messages').entries())
    yield entryAt(`${prefix}messages[${at}]`, () => messageEntry(message, thread))
  for (const [at, fact] of listOf(fields.facts ?? [], 'facts').entries())
    yield entryAt(`${prefix}facts[${at}]`, () => factEntry(fact, thread))
}

function threadOf(fields: Fields, space: string | null, speaker: string): Thread {
  const { session_id: session, thread_id: id = session, user_id: user, created_at: createdAt } = fields
  if (typeof id !== 'string') throw invalidInput('session_id', id, 'the id of the session or thread')
  if (isGiven(user) && typeof user !== 'string') throw invalidInput('user_id', user, 'a name')
  const name = typeof user === 'string' ? user : undefined
  return { id, user: name ?? speaker, createdAt, space: space ?? name }
}

/** Until version 2 `role` is a name, and `role_type` the role; later `role` is the role, and `name` a name. */
function messageEntry(given: unknown, { id, user, space }: Thread): Omit<Entry, 'at'> | LeftOut {
  const message = fieldsOf(given, 'the message')
  const { uuid, name, role, role_type: type = role, content, created_at: at } = message
  const field = 'role_type' in message ? 'role_type' : 'role'
  if (typeof type !== 'string' || !Object.hasOwn(roles, type))
    throw invalidInput(field, type, `one of ${Object.keys(roles).join(', ')}`)
  if (typeof content === 'string' && content.trim() === '') return { leftOut: 'without a text' }
  const named = 'role_type' in message ? role : name
  return {
    input: {
      id: uuid,
      conversation: id,
      speaker: typeof named === 'string' && named !== '' ? named : type === 'user' ? user : type,
      role: roles[type],
      at,
      text: content,
      metadata: { source: 'zep' },
    },
    space,
  }
}

function factEntry(given: unknown, { id, createdAt, space }: Thread): Omit<Entry, 'at'> | LeftOut {
  const fields = typeof given === 'string' ? { fact: given } : fieldsOf(given, 'the fact')
  const { uuid, fact, created_at: factAt, invalid_at: invalidAt, expired_at: expiredAt } = fields as Fields
  if (isGiven(invalidAt) || isGiven(expiredAt)) return { leftOut: 'a fact that no longer holds' }
  return {
    input: {
      ...(typeof uuid === 'string' && { id: uuid }),
      conversation: `facts of ${id}`,
      speaker: 'zep',
      role: 'agent',
      at: factAt ?? createdAt,
      text: fact,
      metadata: { source: 'zep' },
    },
    space,
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isThread({ session_id: session, thread_id: thread, messages, facts }: Fields): boolean {
  return typeof (thread ?? session) === 'string' && (Array.isArray(messages) || Array.isArray(facts))
}
