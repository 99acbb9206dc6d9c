import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolModel } from '@loomlog/models/tool-model'
import type { Model } from '@loomlog/runtime/answers'
import { searchWithTools } from './agentic/search-with-tools.ts'
import { answerFrom } from './answer-from-evidence.ts'
import { memory, utterance } from './fixture.ts'
import { recall } from './recall.ts'

const request = { space: 'acme/home', query: 'Where is the zebra?' }

test('a call to a model ends when the caller leaves, with the reason of the caller', async (t) => {
  const place = await memory(t)
  await place.append(utterance('acme/home', 'u1', 'The zebra is in Porto.'))
  const evidence = await recall(request, place)
  let leave: () => void = () => {}
  /** Aborts the caller's signal, and never answers. */
  const unanswered = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      leave()
    })
  const model: Model = { name: 'fake', parameters: {}, answer: ({ signal }) => unanswered(signal) }
  const toolModel: ToolModel = { name: 'fake', turn: ({ signal }) => unanswered(signal) }
  const calls: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
    (signal) => recall({ ...request, understanding: 'model' }, { ...place, model, signal }),
    (signal) => answerFrom(request.query, evidence, model, signal),
    (signal) => searchWithTools(request, { ...place, signal }, toolModel),
  ]
  for (const call of calls) {
    const caller = new AbortController()
    const reason = new Error('the caller left')
    leave = () => caller.abort(reason)
    await assert.rejects(call(caller.signal), reason)
  }
})
