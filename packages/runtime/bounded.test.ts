import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '@loomlog/log/port'
import { caughtUp, stageOf, topics, until, type World, world } from './fixture.ts'
import { runLease } from './lease-run.ts'
import { groupOf } from './run.ts'
import type { Stage } from './stage.ts'
import { unthrottled } from './throttle.ts'
import { heldModel, judgingStep, loom, toyModel, utterance } from './toy-processors.ts'

/** Smaller than the default, so that the tests take seconds. */
const maxInFlight = 256
const throttle = { ...unthrottled, maxInFlight }
const count = maxInFlight * 4

const history = (spaces: number) =>
  Array.from({ length: count }, (_, index) =>
    utterance(`${index}`, { space: `s${index % spaces}`, conversation: `c${index}`, text: `text ${index}` }),
  )

/** Joins with leases that count what they hand out. */
async function counting(here: World, stage: Stage) {
  let handedOut = 0
  const errors: unknown[] = []
  const members = await here.log.join({
    group: groupOf(stage.processor.stage, stage.derivation),
    topic: stage.reads,
    onLease: (lease) => runLease(counted(lease), stage),
    onError: (error) => errors.push(error),
  })
  function counted(lease: Lease): Lease {
    return {
      topic: lease.topic,
      partition: lease.partition,
      epoch: lease.epoch,
      position: lease.position,
      state: lease.state,
      signal: lease.signal,
      seek: (offset) => lease.seek(offset),
      commit: (commit) => lease.commit(commit),
      async poll(limits) {
        const records = await lease.poll(limits)
        handedOut += records.length
        return records
      },
    }
  }
  return { members, errors, handedOut: () => handedOut }
}

for (const [spaces, held] of [
  [1, maxInFlight / 2],
  [7, maxInFlight - maxInFlight / 8],
] as const) {
  test(`with a model that never answers, ${held} records are held in ${spaces} space(s), and room is left for others`, async (t) => {
    const here = await world(t)
    await here.append(history(spaces))
    // It ignores the abort signal too.
    const { model, asked } = toyModel(() => new Promise(() => {}))
    const { members, errors, handedOut } = await counting(here, stageOf(here, loom(judgingStep), { model, throttle }))
    await until(() => handedOut() >= count, 'everything is read, and the records of full spaces are skipped')
    await until(() => asked.length >= held - spaces, 'the held records have asked')
    assert.ok(asked.length <= held + spaces, `${asked.length} have asked`)
    await here.append([utterance('one more', { space: 'new', text: 'one more' })])
    await until(() => asked.includes('one more'), 'a space that has nothing to wait for asks')
    // It doesn't wait for the model, which never answers.
    await members.close()
    assert.deepEqual(errors, [])
  })
}

test('as answers arrive, skipped records are read again, within the in-flight limit', async (t) => {
  const here = await world(t)
  await here.append(history(3))
  const held = heldModel()
  const { members } = await counting(here, stageOf(here, loom(judgingStep), { model: held.model, throttle }))
  let answered = 0
  await until(() => {
    assert.ok(held.asked.length - answered <= maxInFlight)
    const [text] = held.waiting.keys()
    for (const each of [text, ...[...held.waiting.keys()].slice(1, 50)]) {
      if (each === undefined) continue
      held.letGo(each)
      answered += 1
    }
    return answered === count
  }, 'all are answered')
  await caughtUp(here)
  const expected = history(3).map(({ space, conversation, text }) => `${space}: ${conversation}#0: ${text}`)
  for (const space of ['s0', 's1', 's2']) {
    const of = (all: readonly string[]) => all.filter((each) => each.startsWith(space))
    assert.deepEqual(of(await topics(here)), of(expected))
  }
  await members.close()
})
