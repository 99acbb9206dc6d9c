/** The memory of a tenant on a server, over HTTP. */
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import { addInParts } from './add-in-parts.ts'
import type { AppendReply } from './api.ts'
import { appendEvents } from './append-events.ts'
import { feedEvents } from './feed.ts'
import type { ImportingMemory } from './importing-memory.ts'
import { type LoomlogClient, path, type Query } from './loomlog-client.ts'
import type { MemorySpace, RecallOptions } from './memory.ts'
import { optionFields } from './option-fields.ts'

export function serverMemory(client: LoomlogClient): ImportingMemory {
  const close = async () => {}
  return {
    space: (name) => serverSpace(client, name),
    append: (events, options) => appendEvents(client, events, options),
    events: (options) => feedEvents(client, '/v1/feed', options),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A model is paid for each try. */
function asksModel({ answer, agentic, understanding }: RecallOptions): boolean {
  return [answer, agentic].some((given) => given === true || given === 'yes') || understanding === 'model'
}

function serverSpace(client: LoomlogClient, space: string): MemorySpace {
  const at = path`/v1/spaces/${space}`
  /** Each may be sent again: a repeated message has an id or a time, and corrections and ends have one effect. */
  const post = <T>(to: string, body: object, signal: AbortSignal | undefined, repeatable = true) =>
    client.post<T>(at + to, body, {}, { repeatable, signal })
  const get = <T>(to: string, query: Query, signal: AbortSignal | undefined) =>
    client.get<T>(at + to, query, { signal })
  return {
    name: space,
    add: (messages, options) =>
      addInParts(messages, options, async (part, signal) => {
        const { ids = [], appended, known, position } = await post<AppendReply>('/utterances', part, signal)
        return { ids, appended, known, position }
      }),
    recall: (query, { signal, ...options } = {}) => post('/recall', { ...options, query }, signal, !asksModel(options)),
    context: (query, { signal, ...options } = {}) => post('/context', { ...options, query }, signal),
    correct: (correction, { signal } = {}) => post('/corrections', correction, signal),
    retract: (retraction, { signal } = {}) => post('/retractions', retraction, signal),
    forget: (forgetting, { signal } = {}) => post('/forgettings', forgetting, signal),
    forgetting: (id, { signal } = {}) => get(path`/forgettings/${id}`, {}, signal),
    why: (id, { signal } = {}) => get(path`/memories/${id}/why`, {}, signal),
    impact: (id, { limit, signal } = {}) => get(path`/memories/${id}/impact`, { limit }, signal),
    list: async (options) => {
      refuseUnknownFields(options, optionFields.list)
      const { signal, ...asked } = options
      return get('/memories', asked, signal)
    },
    document: (id, { signal } = {}) => get(path`/documents/${id}`, {}, signal),
    useTool: (name, input, { signal } = {}) => post(path`/tools/${name}`, input as object, signal),
    events: (options) => feedEvents(client, `${at}/feed`, options),
    end: async (options = {}) => {
      refuseUnknownFields(options, optionFields.end)
      const { conversation, signal } = options
      return post(conversation === undefined ? '/end' : path`/conversations/${conversation}/end`, {}, signal)
    },
  }
}
