import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caughtUp, run, topics, until, world } from './fixture.ts'
import { heldModel, judgingStep, loom, utterance } from './toy-processors.ts'

test('outputs leave in the order of their space, although a later lane finishes first', async (t) => {
  const here = await world(t)
  const held = heldModel()
  await here.append([
    utterance('1', { conversation: 'a', text: 'first' }),
    utterance('2', { conversation: 'b', text: 'second' }),
    utterance('3', { conversation: 'c', text: 'third' }),
  ])
  await run(here, loom(judgingStep), { model: held.model })
  await until(() => held.waiting.size === 3, 'the lanes of one space all ask')
  held.letGo('third')
  held.letGo('second')
  await until(async () => (await here.records('completions')).length === 2, 'two answers are recorded')
  assert.deepEqual(await topics(here), [])
  held.letGo('first')
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: a#0: first', 's: b#0: second', 's: c#0: third'])
})

test('events of one lane wait for each other', async (t) => {
  const here = await world(t)
  const held = heldModel()
  await here.append([utterance('1', { text: 'first' }), utterance('2', { text: 'second' })])
  await here.append([utterance('3', { conversation: 'other', text: 'third' })])
  await run(here, loom(judgingStep), { model: held.model })
  await until(() => held.waiting.has('third'), 'the other lane asks')
  assert.deepEqual(held.asked, ['first', 'third'])
  held.letGo('first')
  await until(() => held.waiting.has('second'), 'the second of the lane asks')
  held.letGo('second')
  held.letGo('third')
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0: first', 's: c#1: second', 's: other#0: third'])
})

test('a slow space blocks no other, however much work the others have', async (t) => {
  const here = await world(t)
  const held = heldModel()
  const quick = Array.from({ length: 700 }, (_, index) => pausedOrSaid(index))
  await here.append([utterance('slow', { space: 'slow', text: 'slow' }), ...quick])
  await run(here, loom(judgingStep, { handles: ['UtteranceAppended', 'ConversationPaused'] }), { model: held.model })
  const letGoOfOthers = () => {
    for (const text of held.waiting.keys()) if (text !== 'slow') held.letGo(text)
  }
  await until(async () => {
    letGoOfOthers()
    return (await topics(here)).length === 7
  }, 'everything of the other space is out')
  const [group] = await here.log.groups()
  assert.equal(group?.position, 0, 'the position waits for the slow one')
  held.letGo('slow')
  await caughtUp(here)
  assert.equal((await topics(here)).at(-1), 'slow: c#0: slow')
})

/** Every hundredth one asks. */
function pausedOrSaid(index: number) {
  const place = { space: 'quick', conversation: `c${index}` }
  if (index % 100 === 0) return utterance(`q${index}`, { ...place, text: `q${index}` })
  return {
    type: 'ConversationPaused',
    id: `q${index}`,
    tenant: 't',
    ...place,
    afterUtterance: '',
    at: 1,
    appendedAt: 1,
  } as const
}
