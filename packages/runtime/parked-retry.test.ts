import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputParked, RetryRequested } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { topicSpec } from '@loomlog/topics/catalogue'
import { boxes, caughtUp, recordOf, run, topics, until, world } from './fixture.ts'
import { ask } from './step.ts'
import {
  extractor,
  fact,
  heldModel,
  judge,
  judgingStep,
  loom,
  modelReply,
  noAnswer,
  pureStep,
  toyModel,
  utterance,
} from './toy-processors.ts'

function retry(input: string, attempt: number, rest: Partial<RetryRequested> = {}): RetryRequested {
  const place = { tenant: 't', space: 's', stage: 'topic-loom', parked: 'p' }
  const times = { at: 3_000, appendedAt: 3_000 }
  return {
    type: 'RetryRequested',
    id: hash([input, attempt]),
    input,
    attempt,
    by: 'Ada',
    keyId: null,
    ...place,
    ...times,
    ...rest,
  }
}

test('a retry asks again, with the next attempt, and its outputs have the same cause', async (t) => {
  const here = await world(t)
  const answers = [noAnswer, modelReply({ label: 'now' })]
  const { model, asked } = toyModel(() => answers.shift() ?? modelReply({ label: 'too often' }))
  await here.append([utterance('1', { text: 'x' })])
  await run(here, loom(judgingStep), { model })
  await caughtUp(here)
  await here.append([retry('1', 2), retry('1', 2)])
  await caughtUp(here)
  assert.deepEqual(asked, ['x', 'x'])
  assert.deepEqual(await topics(here), ['s: c#0: none', 's: c#1: now'])
  const sealed = (await here.events(boxes)).flatMap((event) => (event.type === 'BoxSealed' ? [event] : []))
  assert.deepEqual(
    sealed.map(({ seq, knownAt, lineage }) => [seq, knownAt, lineage.causes]),
    [
      [0, 2_000, ['1']],
      [0, 2_000, ['1']],
    ],
  )
  const parked = async () => (await here.events('parked')).map((event) => event.type)
  assert.deepEqual(await parked(), ['InputParked', 'ParkedInputRetried'])
  const [, retried] = await here.events('parked')
  assert.ok(retried?.type === 'ParkedInputRetried')
  assert.deepEqual([retried.stage, retried.space, retried.input, retried.attempts], ['topic-loom', 's', '1', 2])
  await here.append([retry('1', 3)])
  await caughtUp(here)
  assert.equal(asked.length, 2, 'an answered input is no longer parked')
  assert.equal((await parked()).length, 2)
})

test('a retry without an answer parks the input again, with its attempts, and may be retried again', async (t) => {
  const here = await world(t)
  const answers = [noAnswer, noAnswer, modelReply({ label: 'third' })]
  const { model } = toyModel(() => answers.shift() ?? noAnswer)
  await here.append([utterance('1')])
  const first = await run(here, loom(judgingStep), { model })
  await caughtUp(here)
  await first.close()
  await here.append([retry('1', 2)])
  await run(here, loom(judgingStep), { model })
  await caughtUp(here)
  await here.append([retry('1', 3)])
  await caughtUp(here)
  const events = await here.events('parked')
  assert.deepEqual(
    events.map((event) => 'attempts' in event && 'input' in event && [event.type, event.input, event.attempts]),
    [
      ['InputParked', '1', 1],
      ['InputParked', '1', 2],
      ['ParkedInputRetried', '1', 3],
    ],
  )
  const parked = events.filter((event) => event.type === 'InputParked')
  assert.deepEqual(new Set(parked.map(({ offset }) => offset)), new Set([0]))
  assert.equal(new Set(parked.map(({ id }) => id)).size, 2)
  assert.deepEqual(await here.codec.decode(parked[1]?.value ?? new Uint8Array()), utterance('1'))
  assert.equal((await topics(here)).at(-1), 's: c#2: third')
})

test('a retry waits for its input if that is still running, so a replay does the same', async (t) => {
  const here = await world(t)
  const held = heldModel()
  let tries = 0
  const { model } = toyModel(async (text, signal) => {
    const answer = await held.model.answer({ input: { text }, signal, prompt: '', schema: {}, schemaName: 'judge' })
    if (text !== 'x') return answer
    tries += 1
    return tries === 1 ? noAnswer : answer
  })
  const all = [utterance('1', { text: 'x' }), retry('1', 2), utterance('2', { text: 'y' })]
  await here.append([...all, utterance('3', { conversation: 'other', text: 'z' })])
  await run(here, loom(judgingStep), { model })
  await until(() => held.waiting.has('x'), 'the input asks')
  held.letGo('x')
  await until(() => held.waiting.has('x'), 'the retry asks')
  assert.deepEqual([...held.waiting.keys()], ['x'], 'later events wait for the retry')
  held.letGo('x')
  await until(() => held.waiting.size === 2, 'the rest asks')
  held.letGo('z')
  held.letGo('y')
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0: none', 's: c#1: x', 's: c#2: y', 's: other#0: z'])
})

test('a retry for a later stage is forwarded once, in order, and handled there', async (t) => {
  const here = await world(t)
  const answers = [noAnswer, modelReply({ label: 'now' })]
  const { model } = toyModel(() => answers.shift() ?? noAnswer)
  const asking = extractor(function* (event) {
    const answer = yield* ask(judge, { text: event.topic })
    return answer.value === null ? [] : [fact(event, answer.value.label)]
  })
  await run(here, loom(judgingStep))
  await run(here, asking, { model })
  await here.append([utterance('1')])
  await caughtUp(here)
  await until(async () => (await here.events('parked')).length === 1, 'the box is parked')
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  const request = retry(parked?.input ?? '', 2, { stage: 'fact-extractor' })
  await here.append([request, request])
  await caughtUp(here)
  await caughtUp(here, boxes)
  const forwarded = (await here.events(boxes)).filter((event) => event.type === 'RetryRequested')
  assert.deepEqual(forwarded, [request])
  const facts = (await here.events('facts.d1')).flatMap((event) => (event.type === 'FactRecorded' ? [event.text] : []))
  assert.deepEqual(facts, ['now'])
})

test('a retry that no later stage handles is dropped', async (t) => {
  const here = await world(t)
  await here.log.append(boxes, [recordOf(here.codec, retry('1', 2, { stage: 'fact-extractor' }))])
  await run(
    here,
    extractor(
      pureStep(() => []),
      { stage: 'trace-weaver', writes: topicSpec('event-links') },
    ),
  )
  await caughtUp(here, boxes)
  const types = (await here.events('event-links.d1')).map((event) => event.type)
  assert.deepEqual([...new Set(types)], [])
})

test('an input too large to keep for a retry is parked whole, and its retry does nothing', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel(() => noAnswer)
  const metadata = { large: 'x'.repeat(750_000) }
  await here.append([utterance('1', { metadata }), retry('1', 2)])
  await run(here, loom(judgingStep), { model })
  await caughtUp(here)
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(await here.codec.decode(parked?.value ?? new Uint8Array()), utterance('1', { metadata }))
  assert.equal(asked.length, 1)
})

test('a stage without retries keeps nothing for one', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel(() => noAnswer)
  await here.append([utterance('1'), retry('1', 2)])
  await run(here, loom(judgingStep, { retry: 'never' }), { model })
  await caughtUp(here)
  assert.equal(asked.length, 1)
  assert.deepEqual(await topics(here), ['s: c#0: none'])
})
