/** A forgetting in a stage: everything before its marker in the space is void, and the records after it are new. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { boxes, caughtUp, run, topics, until, type World, world } from './fixture.ts'
import {
  countingStep,
  factOfEach,
  forgotten,
  heldModel,
  judgingStep,
  loom,
  modelReply,
  noAnswer,
  pairLookAhead,
  pairStep,
  toyModel,
  utterance,
} from './toy-processors.ts'

const counting = loom(countingStep)

/** The keys of committed state. */
async function stateKeys({ log }: World, group: string): Promise<readonly string[]> {
  let keys: readonly string[] = []
  const read = Promise.withResolvers<void>()
  const onLease = async ({
    state,
  }: {
    state: { range: (prefix: string, limit: number) => readonly (readonly [string, unknown])[] }
  }) => {
    keys = state.range('', 1_000).map(([key]) => key)
    read.resolve()
  }
  const member = await log.join({ group, topic: 'utterances', onLease, onError: (error) => read.reject(error) })
  await read.promise
  await member.close()
  return keys
}

test('copies with the ids of void events are derived as new events, and another space stays as it is', async (t) => {
  const here = await world(t)
  const other = utterance('1', { space: 's2' })
  await here.append([utterance('1'), other, utterance('2'), utterance('3')])
  const first = await run(here, counting)
  await caughtUp(here)
  await here.append([forgotten('f'), utterance('1'), utterance('3'), utterance('1'), utterance('4', { space: 's2' })])
  await caughtUp(here)
  await first.close()
  const derived = ['s: c#0', 's2: c#0', 's: c#1', 's: c#2', 's: c#0', 's: c#1', 's2: c#1']
  assert.deepEqual(await topics(here), derived)
  const passed = (await here.events(boxes)).slice(4)
  assert.deepEqual(
    passed.flatMap((event) => ('seq' in event ? [`${event.type} ${event.space} ${event.seq}`] : [])),
    ['SubjectForgotten s 0', 'BoxSealed s 1', 'BoxSealed s 2', 'BoxSealed s2 1'],
  )
  const keys = await stateKeys(here, 'topic-loom.d1')
  const seen = keys.filter((key) => key.startsWith('seen\u001ft/s\u001f'))
  assert.deepEqual(
    seen.map((key) => key.split('\u001f').at(-1)),
    ['1', '3'],
  )
})

test('records after the marker wait until everything before it is done, and another space does not', async (t) => {
  const here = await world(t)
  const held = heldModel()
  await here.append([utterance('1'), utterance('2', { conversation: 'd' }), forgotten('f'), utterance('1')])
  await here.append([utterance('9', { space: 's2', text: 'other' })])
  const running = await run(here, loom(judgingStep), { model: held.model })
  await until(() => held.waiting.size === 3, 'both conversations and the other space are asked')
  assert.deepEqual(held.asked.toSorted(), ['other', 'text of 1', 'text of 2'])
  held.letGo('other')
  await until(async () => (await topics(here)).length === 1, 'the other space is derived')
  held.letGo('text of 1')
  await sleep(300)
  assert.deepEqual(
    await here.events(boxes).then((events) => events.filter(({ type }) => type === 'SubjectForgotten')),
    [],
  )
  held.letGo('text of 2')
  await caughtUp(here)
  assert.deepEqual(await topics(here), [
    's2: c#0: other',
    's: c#0: text of 1',
    's: d#0: text of 2',
    's: c#0: text of 1',
  ])
  assert.deepEqual(held.asked.toSorted(), ['other', 'text of 1', 'text of 2'], 'the recorded answer is used again')
  const answers = (await here.events('completions')).flatMap((event) =>
    event.type === 'AnswerRecorded' ? [event] : [],
  )
  const ofFirst = answers.filter(({ answer }) => answer === '{"label":"text of 1"}')
  assert.deepEqual(
    ofFirst.map(({ since, calls }) => [since, calls]),
    [
      [0, ofFirst[0]?.calls],
      [2_000, ofFirst[0]?.calls],
    ],
    'a used answer is recorded again after the marker',
  )
  await running.close()
})

test('asks ahead of later records read no state from before the marker', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel(() => modelReply({ label: 'x' }))
  await here.append([utterance('1'), utterance('2'), forgotten('f'), utterance('3'), utterance('4')])
  const running = await run(here, loom(pairStep, { lookAhead: pairLookAhead as never }), { model })
  await caughtUp(here)
  await running.close()
  assert.deepEqual(new Set(asked), new Set(['|text of 1', 'text of 1|text of 2', '|text of 3', 'text of 3|text of 4']))
})

test('a parked input from before the marker is void, and so is its retry', async (t) => {
  const here = await world(t)
  const { model, asked } = toyModel((text) => (text === 'text of 1' ? noAnswer : modelReply({ label: 'x' })))
  const retry = { tenant: 't', space: 's', input: '1', stage: 'topic-loom', parked: 'p', by: 'Ines', seq: null }
  await here.append([utterance('1'), forgotten('f'), utterance('2')])
  await here.append([{ type: 'RetryRequested', id: 'r', ...retry, attempt: 2, at: 1, appendedAt: 1 } as never])
  const running = await run(here, loom(judgingStep), { model })
  await caughtUp(here)
  await running.close()
  assert.deepEqual(asked, ['text of 1', 'text of 2'])
  assert.equal((await here.events('parked')).length, 1)
  assert.deepEqual((await topics(here)).at(-1), 's: c#0: x')
})

test('a marker under a foreign key is parked, and voids nothing', async (t) => {
  const here = await world(t)
  await here.append([utterance('1')])
  const value = here.codec.encode(forgotten('f', { space: 'elsewhere' }))
  await here.log.append('utterances', [{ key: 't/s', value, timestamp: 1 }])
  await here.append([utterance('1')])
  const running = await run(here, counting)
  await caughtUp(here)
  await running.close()
  assert.deepEqual(await topics(here), ['s: c#0'])
  assert.equal((await here.events('parked')).length, 1)
})

test('a later stage begins its space again, and passes the marker on, also to a topic that does not name it', async (t) => {
  const here = await world(t)
  const writes = { ...factOfEach.writes, records: ['FactRecorded', 'WatermarkAdvanced'] }
  const reads = { ...factOfEach.reads, records: ['BoxSealed', 'WatermarkAdvanced'] }
  const stages = [counting, { ...factOfEach, reads, writes }]
  await here.append([utterance('1'), utterance('2'), forgotten('f'), utterance('2')])
  const running = await Promise.all(stages.map((stage) => run(here, stage)))
  await caughtUp(here)
  await caughtUp(here, boxes)
  for (const each of running) await each.close()
  const facts = await here.events('facts.d1')
  const shown = facts.flatMap((event) =>
    event.type === 'FactRecorded'
      ? [`${event.seq} ${event.text}`]
      : event.type === 'SubjectForgotten'
        ? [event.id]
        : [],
  )
  assert.deepEqual(shown, ['0 c#0', '1 c#1', 'f', '1 c#0'])
  assert.deepEqual(await here.events('parked'), [])
})
