/**
 * The memories of mem0, as `get_all` and its exports write them: a list, or `{ results: […] }`. Each becomes an
 * utterance of its user, in the user's space. Its id is derived from its id in mem0, its time and its text, so that an
 * updated one is another utterance at a later time.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { hash, type Json } from '@loomlog/schemas/ids'
import { type Entry, entryAt, type Fields, type Format, fieldsOf, isFields, labelsOf, listOf } from './format.ts'

/** The fields with an array of memories. */
const lists = ['results', 'memories'] as const

export const mem0: Format = {
  expected: 'memories of mem0, such as [{"memory":"Likes tea.","user_id":"maya","created_at":"2026-01-05T10:00:00Z"}]',
  isFirstValue: (value) => isMemory(value) || isMemoryList(memoriesOf(value)),
  reader: (options) =>
    function* ({ value }) {
      const fields = fieldsOf(value, 'the memory')
      const list = memoriesOf(fields)
      if (list === null) yield entryAt('', () => memoryEntry(fields, options.space))
      else
        for (const [at, memory] of list.entries())
          yield entryAt(`${nameOf(fields)}[${at}]`, () => memoryEntry(memory, options.space))
    },
}

function memoryEntry(given: unknown, space: string | null): Omit<Entry, 'at'> {
  const memory = fieldsOf(given, 'the memory')
  const { id, memory: text, user_id: user, agent_id: agent, app_id: app, run_id: run } = memory
  const at = memory.updated_at ?? memory.created_at
  const owner = user ?? agent ?? run
  if (typeof owner !== 'string') throw invalidInput('user_id', owner, 'the user that the memory belongs to')
  if (typeof text !== 'string') throw invalidInput('memory', text, 'words')
  return {
    input: {
      ...(typeof id === 'string' && { id: hash(['mem0', id, at as Json, text]) }),
      conversation: run ?? 'mem0',
      speaker: owner,
      role: typeof user === 'string' ? 'human' : 'agent',
      at,
      text,
      metadata: labelsOf({ source: 'mem0', mem0_id: id, mem0_agent: agent, mem0_app: app }),
    },
    space: space ?? owner,
  }
}

function isMemory(value: unknown): boolean {
  return isFields(value) && typeof value.memory === 'string'
}

function isMemoryList(list: readonly unknown[] | null): boolean {
  return list !== null && (list.length === 0 || list.some(isMemory))
}

function memoriesOf(value: Fields): readonly unknown[] | null {
  const name = nameOf(value)
  return name === undefined ? null : listOf(value[name], name)
}

function nameOf(value: Fields): string | undefined {
  return lists.find((name) => Array.isArray(value[name]))
}
