import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAiModel } from '@loomlog/models/chat'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { inFlightLimiter } from '@loomlog/models/in-flight-limiter'
import { ModelUnavailable } from '@loomlog/models/unavailable'
import type { AnswerRecorded, InputParked, RetryRequested } from '@loomlog/schemas/events'
import type { Model } from './answers.ts'
import { AsksAhead } from './asks-ahead.ts'
import { boxes, caughtUp, dump, run, topics, until, world } from './fixture.ts'
import type { Overlay } from './overlay.ts'
import type { LookAhead } from './processor.ts'
import type { Stage } from './stage.ts'
import { unthrottled } from './throttle.ts'
import {
  heldModel,
  loom,
  modelReply,
  noAnswer,
  pairLookAhead,
  pairStep,
  toyModel,
  utterance,
} from './toy-processors.ts'

const ahead = loom(pairStep, { lookAhead: pairLookAhead as LookAhead })

const texts = ['a', 'b', 'c', 'd']
const lane = texts.map((text) => utterance(text, { text }))
const asks = ['|a', 'a|b', 'b|c', 'c|d']
const outputs = asks.map((text, index) => `s: c#${index}: ${text}`)

test('the asks of one lane are issued at once; answers come in any order, and outputs leave in the order of the lane', async (t) => {
  const here = await world(t)
  const held = heldModel()
  await here.append(lane)
  await run(here, ahead, { model: held.model })
  await until(() => held.waiting.size === asks.length, 'all are asked')
  for (const late of ['c|d', 'b|c']) held.letGo(late)
  await until(async () => (await here.records('completions')).length === 2, 'the later answers are recorded')
  assert.deepEqual(await topics(here), [])
  held.letGo('|a')
  await until(
    async () => (await topics(here)).length === 1,
    'the first output leaves while later records are in flight',
  )
  held.letGo('a|b')
  await caughtUp(here)
  assert.deepEqual(await topics(here), outputs)
  assert.deepEqual(held.asked.toSorted(), asks.toSorted(), 'each is asked once')
})

test('a lane that was idle looks ahead from its records, and a replay asks nothing', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel((text) => modelReply({ label: text }))
  for (const event of lane) {
    await here.append([event])
    await run(here, ahead, { model }).then(async (running) => {
      await caughtUp(here)
      await running.close()
    })
  }
  assert.deepEqual(asked, asks)
  const forbidden = toyModel(() => assert.fail('a replay asks nothing'))
  await run(here, { ...ahead, stage: 'again' } as typeof ahead, { model: forbidden.model })
  await until(async () => (await topics(here)).length === 2 * outputs.length, 'everything is derived again')
  assert.deepEqual(await topics(here), [...outputs, ...outputs])
  assert.equal((await here.records('completions')).length, asks.length)
})

test('a lease that ends drops its asks in flight, and the next owner asks only for unrecorded answers', async (t) => {
  const here = await world(t)
  const held = heldModel()
  await here.append(lane)
  const first = await run(here, ahead, { model: held.model })
  await until(() => held.waiting.size === asks.length, 'all are asked')
  held.letGo('b|c')
  await until(async () => (await here.records('completions')).length === 1, 'one answer is recorded')
  await first.close()
  assert.deepEqual([first.errors, await topics(here)], [[], []])
  held.waiting.clear()
  held.asked.length = 0
  const second = await run(here, ahead, { model: held.model })
  await until(() => held.waiting.size === 3, 'the others are asked again')
  for (const text of [...held.waiting.keys()].reverse()) held.letGo(text)
  await caughtUp(here)
  assert.deepEqual(held.asked.toSorted(), asks.filter((text) => text !== 'b|c').toSorted())
  assert.deepEqual([second.errors, await topics(here)], [[], outputs])
})

test('a model that never answers gets no more asks than records that a space may hold in flight', async (t) => {
  const here = await world(t)
  const throttle = { ...unthrottled, maxInFlight: 64 }
  const { model, asked } = toyModel(() => new Promise(() => {}))
  await here.append(Array.from({ length: 300 }, (_, at) => utterance(`${at}`)))
  await run(here, ahead, { model, throttle })
  await until(() => asked.length >= 32, 'half of the limit is asked')
  await here.append([utterance('other', { space: 'other', text: 'other' })])
  await until(() => asked.includes('|other'), 'another space has room')
  assert.ok(asked.length <= 33, `${asked.length} asks`)
})

test('an endpoint that fails in the middle pauses the lane: nothing is lost, parked, out of order or asked twice', async (t) => {
  const here = await world(t)
  let failures = 0
  const answered: string[] = []
  const { model } = toyModel((text) => {
    if (text === 'b|c' && failures++ < 2) throw new ModelUnavailable('the endpoint is away')
    answered.push(text)
    return modelReply({ label: text })
  })
  const pauses: (string | null)[] = []
  await here.append(lane)
  await run(here, ahead, { model, onBackoff: (reason) => pauses.push(reason) })
  await caughtUp(here)
  assert.deepEqual(await topics(here), outputs)
  assert.deepEqual(answered.toSorted(), asks.toSorted())
  assert.deepEqual(await here.events('parked'), [])
  assert.equal(pauses.at(-1), null)
})

test('an ask ahead without an answer parks its own input, and the lane continues', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel((text) => (text === 'a|b' ? noAnswer : modelReply({ label: text })))
  await here.append(lane)
  await run(here, ahead, { model })
  await caughtUp(here)
  assert.deepEqual(await topics(here), outputs.with(1, 's: c#1: none'))
  const parked = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(
    parked.map(({ input }) => input),
    ['b'],
  )
  assert.equal(asked.length, asks.length)
})

for (const lane of ['a busy', 'an idle']) {
  test(`after a retry, which may change ${lane} lane, no ask is issued ahead, so none is wrong`, async (t) => {
    const here = await world(t)
    const none = new Set(['|a'])
    const held = heldModel()
    const model: Model = {
      ...held.model,
      answer: async (request) => {
        const { text } = request.input as { readonly text: string }
        return none.delete(text) ? noAnswer : held.model.answer(request)
      },
    }
    await here.append([utterance('a', { text: 'a' })])
    await run(here, ahead, { model })
    await caughtUp(here)
    const retry: RetryRequested = {
      type: 'RetryRequested',
      id: 'r',
      tenant: 't',
      space: 's',
      stage: 'topic-loom',
      input: 'a',
      parked: 'p',
      attempt: 2,
      by: 'Ada',
      at: 1,
      appendedAt: 1,
      keyId: null,
    }
    const answered: string[] = []
    await here.append([utterance('b', { text: 'b' })])
    await until(() => held.waiting.has('a|b'), 'the lane is busy')
    if (lane === 'an idle') {
      held.letGo('a|b')
      answered.push('a|b')
      await caughtUp(here)
    }
    await here.append([retry, utterance('c', { text: 'c' }), utterance('d', { text: 'd' })])
    await until(async () => {
      const [text] = held.waiting.keys()
      if (text === undefined) return answered.length === 4
      answered.push(text)
      held.letGo(text)
      return false
    }, 'everything is answered')
    await caughtUp(here)
    // The step of the retried input sees `b` as its last text, and the next one sees `a`.
    assert.deepEqual(answered, ['a|b', 'b|a', 'a|c', 'c|d'])
    assert.deepEqual(held.asked, answered)
  })
}

test('a look-ahead that fails ends the lease like a step that fails', async (t) => {
  const here = await world(t)
  const failing: LookAhead = {
    ...(pairLookAhead as LookAhead),
    next(carry, event, parameters) {
      if (event.id === 'x') throw new Error('a bug in the look-ahead')
      return (pairLookAhead as LookAhead).next(carry, event, parameters)
    },
  }
  const { model } = toyModel((text) => modelReply({ label: text }))
  await here.append(lane)
  const running = await run(here, loom(pairStep, { lookAhead: failing }), { model })
  await caughtUp(here)
  await here.append([utterance('x')])
  await until(() => running.errors.length > 0, 'the bug is reported')
  assert.match(String(running.errors[0]), /a bug in the look-ahead/)
  assert.deepEqual(await topics(here), outputs)
})

test('one space with hundreds of asks ahead leaves the in-flight limit to others too', async (t) => {
  const here = await world(t)
  const order: string[] = []
  const endpoint = await startFakeEndpoint({
    latencyMs: 5,
    answer({ body }) {
      order.push(JSON.stringify(body))
      return { label: 'x' }
    },
  })
  t.after(() => endpoint.close())
  const chat = openAiModel({
    baseUrl: endpoint.baseUrl,
    apiKey: 'fake-key',
    model: 'fake',
    limiter: inFlightLimiter(4),
  })
  const model: Model = { ...chat, parameters: {} }
  const isOther = (body: string) => body.includes('the other space')
  await here.append(Array.from({ length: 300 }, (_, at) => utterance(`${at}`, { text: `text ${at}` })))
  await run(here, ahead, { model })
  await until(() => order.length > 20, 'the long lane has asks in flight')
  const before = order.length
  await here.append([utterance('one', { space: 'other', text: 'the other space' })])
  await until(() => order.some(isOther), 'the other space is served')
  // The time of one append and one poll, and not of 300 asks.
  assert.ok(order.findIndex(isOther) < 290, `${order.findIndex(isOther) - before} asks came first`)
  await caughtUp(here)
})

test('outputs and recorded answers are the same as when every ask waits for its turn', async (t) => {
  const [patient, eager] = [await world(t), await world(t)]
  const { model } = toyModel((text) => modelReply({ label: text }))
  const events = Array.from({ length: 60 }, (_, at) =>
    utterance(`${at}`, { space: `s${at % 2}`, conversation: `c${at % 3}`, text: `text ${at % 7}` }),
  )
  for (const [here, processor] of [
    [patient, loom(pairStep)],
    [eager, ahead],
  ] as const) {
    await here.append(events)
    await run(here, processor, { model })
    await caughtUp(here)
  }
  assert.deepEqual(await dump(eager, boxes), await dump(patient, boxes))
  const keys = async (here: typeof eager) =>
    ((await here.events('completions')) as readonly AnswerRecorded[]).map(({ key }) => key).sort()
  assert.deepEqual(await keys(eager), await keys(patient))
})

test('when the lease ends, the answers of queued work are dropped', async () => {
  const lease = new AbortController()
  let held = 0
  const ahead = () => {
    held += 1
    const release = () => {
      held -= 1
    }
    return { recorded: new Promise(() => {}), release }
  }
  const lookAhead = {
    // biome-ignore lint/correctness/useYield: it needs no record
    *start() {
      return null
    },
    next() {
      return { carry: null, asks: [{}] }
    },
  }
  const stage = {
    processor: { lookAhead },
    answers: { hasModel: true, askAhead: ahead },
    parameters: {},
  } as unknown as Stage
  const asksAhead = new AsksAhead({ stage, overlay: {} as Overlay, signal: lease.signal, sinceOf: () => 0 })
  const event = { ...utterance('1'), seq: 0 }
  const [first] = [1, 2, 3].map(() => asksAhead.accept({ space: 't/s', lane: 'c', event }, () => {}))
  assert.equal(held, 3)
  void first?.()
  lease.abort()
  assert.equal(held, 0)
  asksAhead.accept({ space: 't/s', lane: 'c', event }, () => {})
  assert.equal(held, 0)
})
