import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@loomlog/log/port'
import { openAiModel } from '@loomlog/models/chat'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import type { Answers, StageEmbedder } from './answers.ts'
import { embeddingKey } from './ask-key.ts'
import { CompletionIndex } from './completion-index.ts'
import { boxes, caughtUp, dump, folder, openWorld, run, stageOf, topics, until, world } from './fixture.ts'
import { thenAlways } from './maybe-promise.ts'
import { ask, embed } from './step.ts'
import { type Throttle, unthrottled } from './throttle.ts'
import {
  box,
  heldModel,
  judge,
  judgingStep,
  loom,
  modelReply,
  noAnswer,
  toyModel,
  utterance,
} from './toy-processors.ts'

const label = (text: string) => modelReply({ label: `about ${text}` })

test('an answer is used only once it is in the log', async (t) => {
  const here = await world(t)
  const gate = Promise.withResolvers<void>()
  let appending = false
  const log: Log = {
    ...here.log,
    async append(topic, records) {
      appending = true
      await gate.promise
      return here.log.append(topic, records)
    },
  }
  const completions = new CompletionIndex({ log, codec: here.codec, dir: await folder(t) })
  t.after(() => completions.close())
  const { model, asked } = toyModel(label)
  await here.append([utterance('1', { text: 'x' })])
  await run({ ...here, completions }, loom(judgingStep), { model })
  await until(() => appending, 'the answer is to be recorded')
  assert.deepEqual([asked, await topics(here)], [['x'], []])
  gate.resolve()
  await caughtUp(here)
  const [recorded] = (await here.events('completions')) as readonly AnswerRecorded[]
  const [sealed] = (await here.events(boxes)).flatMap((event) => (event.type === 'BoxSealed' ? [event] : []))
  assert.equal(recorded?.answer, '{"label":"about x"}')
  assert.deepEqual(sealed?.lineage.completions, [recorded?.key])
})

test('an ask that sends back an earlier answer is a repair, in an account of its own', async (t) => {
  const here = await world(t)
  const { model } = toyModel(label)
  const repairing = { ...judge, isRepair: ({ text }: { readonly text: string }) => text === 'again' }
  function* step() {
    yield* ask(repairing, { text: 'first' })
    yield* ask(repairing, { text: 'again' })
    return []
  }
  await here.append([utterance('1', { text: 'x' })])
  await run(here, { ...loom(step), tasks: [repairing] }, { model })
  await caughtUp(here)
  const accounts = await here.completions.usage(null, 10)
  assert.deepEqual(accounts.map(({ task, asks, repairs }) => `${task}: ${asks}, ${repairs} repairs`).toSorted(), [
    `${judge.name}-repair: 1, 1 repairs`,
    `${judge.name}: 1, 0 repairs`,
  ])
})

test('the same content is asked once: in many lanes, after a restart, and with the index gone', async (t) => {
  const dir = await folder(t)
  const first = await openWorld(dir)
  const held = heldModel()
  await first.append(['a', 'b', 'c'].map((c) => utterance(c, { conversation: c, text: 'same' })))
  await run(first, loom(judgingStep), { model: held.model })
  await until(() => held.waiting.size > 0, 'somebody asks')
  held.letGo('same')
  await caughtUp(first)
  assert.deepEqual(held.asked, ['same'])
  assert.deepEqual(await topics(first), ['s: a#0: same', 's: b#0: same', 's: c#0: same'])
  await first.close()
  for (const part of ['', '-wal', '-shm']) await rm(join(dir, `completions-index.db${part}`), { force: true })
  const second = await openWorld(dir)
  t.after(() => second.close())
  await second.append([utterance('d', { conversation: 'd', text: 'same' })])
  await run(second, loom(judgingStep), { model: held.model })
  await caughtUp(second)
  assert.deepEqual(held.asked, ['same'])
  assert.equal((await second.records('completions')).length, 1)
})

test('another space, prompt, model, shape or attempt is another question', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel(label)
  const stage = stageOf(here, loom(judgingStep), { model })
  const other = stageOf(here, loom(judgingStep), { model: { ...model, name: 'other' } })
  const tuned = stageOf(here, loom(judgingStep), { model: { ...model, parameters: { temperature: 1 } } })
  const asker = { tenant: 't', space: 's', attempt: 1, since: 0, signal: new AbortController().signal }
  const shaped = { ...judge, schema: { ...judge.schema, description: 'other' } }
  const prompted = { ...judge, name: 'other' }
  const say = (answers: Answers, change: object, task: object = judge) =>
    answers.answer([{ task: task as never, input: { text: 'x' } }], { ...asker, ...change })
  const promptedStage = stageOf(here, loom(judgingStep, { tasks: [prompted as never] }), { model })
  for (const _ of ['once', 'and again']) {
    await say(stage.answers, {})
    await say(stage.answers, { space: 'other' })
    await say(stage.answers, { tenant: 'other' })
    await say(stage.answers, { attempt: 2 })
    await say(stage.answers, {}, shaped)
    await say(other.answers, {})
    await say(tuned.answers, {})
    await say(promptedStage.answers, {}, prompted)
  }
  assert.equal(asked.length, 8)
  assert.equal(new Set(((await here.events('completions')) as readonly AnswerRecorded[]).map(({ key }) => key)).size, 8)
})

test('the next owner does not wait for an ask that ended with its lease', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel((_, signal) =>
    asked.length === 1
      ? new Promise((_, reject) => signal.addEventListener('abort', () => sleep(50).then(reject)))
      : label('x'),
  )
  const { answers } = stageOf(here, loom(judgingStep), { model })
  const asks = [{ task: judge as never, input: { text: 'x' } }]
  const lost = new AbortController()
  const first = answers.answer(asks, { tenant: 't', space: 's', attempt: 1, since: 0, signal: lost.signal })
  await until(() => asked.length === 1, 'the first owner asks')
  lost.abort(new Error('lost'))
  await assert.rejects(first, /lost/)
  const next = { tenant: 't', space: 's', attempt: 1, since: 0, signal: new AbortController().signal }
  const [answer] = await answers.answer(asks, next)
  assert.deepEqual(answer?.value, { label: 'about x' })
})

test('“none, because” is an answer: it is recorded, and a replay does not ask again', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel(() => noAnswer)
  await here.append([utterance('1'), utterance('2', { text: 'text of 1' })])
  await run(here, loom(judgingStep), { model })
  await caughtUp(here)
  assert.equal(asked.length, 1)
  const [recorded] = (await here.events('completions')) as readonly AnswerRecorded[]
  assert.deepEqual([recorded?.none, recorded?.answer], ['it made no sense', null])
  assert.deepEqual(await topics(here), ['s: c#0: none', 's: c#1: none'])
})

test('an embedding that a decision depends on is recorded as whole numbers, and computed once', async (t) => {
  const here = await world(t)
  const embedded: string[] = []
  const embedder = {
    name: 'toy-3',
    async embedOne(text: string) {
      embedded.push(text)
      return Int8Array.of(127, -127, -1)
    },
  }
  const embedding = loom(function* (event) {
    if (event.type !== 'UtteranceAppended') return []
    const answer = yield* ask(embed, event.text)
    return [box(event, JSON.stringify([answer.by, answer.value]), answer.completions)]
  })
  await here.append([utterance('1', { text: 'x' }), utterance('2', { text: 'x' })])
  await run(here, embedding, { embedder })
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: ["toy-3",[127,-127,-1]]', 's: ["toy-3",[127,-127,-1]]'])
  assert.deepEqual(embedded, ['x'])
  const [recorded] = (await here.events('completions')) as readonly AnswerRecorded[]
  assert.deepEqual([...(recorded?.vector ?? [])], [127, 129, 255])
  assert.equal(recorded?.key, embeddingKey('t/s', 'toy-3', 'x'))
})

test('a task answered by rules names the embeddings it used, and rules never pose as a model', async (t) => {
  const here = await world(t)
  const embedder = { name: 'toy-1', embedOne: async () => Int8Array.of(5) }
  const byRules = {
    ...judge,
    *local() {
      const vector = yield* ask(embed, 'inner')
      return { label: JSON.stringify(vector.value) }
    },
  }
  const toy = loom(function* (event) {
    if (event.type !== 'UtteranceAppended') return []
    const { value, by, completions } = yield* ask(byRules, { text: event.text })
    return [box(event, `${by} ${value?.label}`, completions)]
  })
  await here.append([utterance('1')])
  await run(here, toy, { embedder })
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: rules [5]'])
  const [sealed] = (await here.events(boxes)).flatMap((event) => (event.type === 'BoxSealed' ? [event] : []))
  assert.deepEqual(sealed?.lineage.completions, [embeddingKey('t/s', 'toy-1', 'inner')])
})

test('a replay calls no model, and derives the same', async (t) => {
  const dir = await folder(t)
  const endpoint = await startFakeEndpoint()
  t.after(() => endpoint.close())
  const chat = openAiModel({ baseUrl: endpoint.baseUrl, apiKey: 'fake-key', model: 'fake' })
  const model = { ...chat, parameters: {} }
  const first = await openWorld(dir)
  await first.append(
    Array.from({ length: 30 }, (_, i) => utterance(`${i}`, { space: `s${i % 3}`, conversation: `c${i % 2}` })),
  )
  await run(first, loom(judgingStep), { model })
  await caughtUp(first)
  const derived = await dump(first)
  assert.equal(endpoint.calls().chat, 30)
  await first.close()
  const between = await openWorld(dir)
  await between.log.deleteGroup('topic-loom.d1')
  await between.log.deleteTopic(boxes)
  await between.close()
  for (const part of ['', '-wal', '-shm']) await rm(join(dir, `completions-index.db${part}`), { force: true })
  endpoint.reset()
  endpoint.setMode('forbid')
  const second = await openWorld(dir)
  t.after(() => second.close())
  await run(second, loom(judgingStep), { model })
  await caughtUp(second)
  assert.deepEqual(await dump(second), derived)
  assert.equal(endpoint.calls().total, 0)
})

test('a step that waits for an endpoint, or for the answer to the same ask, is no piece of the throttle', async (t) => {
  const here = await world(t)
  const held = heldModel()
  let [started, ended] = [0, 0]
  const throttle: Throttle = {
    ...unthrottled,
    run(work) {
      started += 1
      return thenAlways(work, () => {
        ended += 1
      })
    },
  }
  await here.append(['a', 'b', 'c'].map((c) => utterance(c, { conversation: c, text: 'same' })))
  await run(here, loom(judgingStep), { model: held.model, throttle })
  await until(() => held.waiting.size > 0 && started === 3, 'one asks, and all wait')
  assert.equal(ended, 3)
  held.letGo('same')
  await caughtUp(here)
  assert.deepEqual([started, ended], [6, 6], 'a piece before the ask, and one after the answer')
})

test('a task by rules and an embedding in the process are pieces of the throttle, an embedding behind an endpoint is none', async (t) => {
  async function piecesBehind(embedder: Pick<StageEmbedder, 'isBehindEndpoint'>): Promise<readonly boolean[]> {
    const here = await world(t)
    let depth = 0
    const inPiece: boolean[] = []
    const note = () => inPiece.push(depth > 0)
    const throttle: Throttle = {
      ...unthrottled,
      run(work) {
        depth += 1
        return thenAlways(work, () => {
          depth -= 1
        })
      },
    }
    const byRules: typeof judge = {
      ...judge,
      *local() {
        note()
        yield* ask(embed, 'inner')
        return { label: 'x' }
      },
    }
    const toy = loom(function* (event) {
      if (event.type !== 'UtteranceAppended') return []
      const { value } = yield* ask(byRules, { text: event.text })
      return [box(event, `${value?.label}`)]
    })
    const embedOne = async () => {
      note()
      return new Int8Array([5])
    }
    await here.append([utterance('1')])
    await run(here, toy, { embedder: { ...embedder, name: 'toy-1', embedOne }, throttle })
    await caughtUp(here)
    return inPiece
  }
  assert.deepEqual(await piecesBehind({}), [true, true])
  assert.deepEqual(await piecesBehind({ isBehindEndpoint: true }), [true, false])
})
