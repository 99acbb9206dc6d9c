import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BoxSealed, UtteranceAppended } from '@loomlog/schemas/events'
import { harness } from './harness.ts'
import type { Processor } from './processor.ts'
import { keyedRecord, put, range } from './step.ts'
import { box, judgingStep, loom, utterance } from './toy-processors.ts'

const toy = loom(judgingStep) as Processor as Processor<UtteranceAppended, BoxSealed>
const said = (id: string, seq: number, conversation = 'c') => ({ ...utterance(id, { conversation }), seq })
const topicOf = (event: unknown) => (event as BoxSealed).topic

test('tasks are answered by rules, unless the test scripts an answer', async () => {
  const byRules = harness(toy)
  assert.deepEqual((await byRules.give(said('1', 0))).map(topicOf), ['c#0: by rules'])
  const scripted = harness(toy, { answers: { judge: () => ({ label: 'as told' }) } })
  assert.deepEqual((await scripted.give(said('1', 0))).map(topicOf), ['c#0: as told'])
  assert.deepEqual(scripted.asked, [{ task: 'judge', input: { text: 'text of 1' } }])
  const none = harness(toy, { answers: { judge: () => ({ none: 'because' }) } })
  assert.deepEqual((await none.give(said('1', 0))).map(topicOf), ['c#0: none'])
})

test('state is kept by lane, as in the runtime', async () => {
  const made = await harness(toy).give(said('1', 0), said('2', 1, 'd'), said('3', 2))
  assert.deepEqual(made.map(topicOf), ['c#0: by rules', 'd#0: by rules', 'c#1: by rules'])
})

test('ranges come in the order of committed state', async () => {
  const notes = keyedRecord<number>('notes')
  const ranging = loom(function* (event) {
    if (event.type !== 'UtteranceAppended') return []
    for (const [index, key] of ['x🧵', 'xｆ', 'xa', 'y'].entries()) yield* put(notes, key, index)
    return [box(event, (yield* range(notes, 'x', 3)).map(([key]) => key).join(' '))]
  }) as Processor as Processor<UtteranceAppended, BoxSealed>
  assert.deepEqual((await harness(ranging).give(said('1', 0))).map(topicOf), ['xa xｆ x🧵'])
})
