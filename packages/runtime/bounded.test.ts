import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '@loomlog/log/port'
import { caughtUp, stageOf, topics, until, type World, world } from './fixture.ts'
import { runLease } from './lease-run.ts'
import { groupOf } from './run.ts'
import type { Stage } from './stage.ts'
import { heldModel, judged, loom, toyModel, utterance } from './toys.ts'
import { atOnce } from './traffic.ts'

const { maxInFlight } = atOnce
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

for (const spaces of [1, 7]) {
  test(`with a model that never answers, no more than ${maxInFlight} records are read, in ${spaces} space(s)`, async (t) => {
    const here = await world(t)
    await here.append(history(spaces))
    // Not even when it is told to stop.
    const { model, asked } = toyModel(() => new Promise(() => {}))
    const { members, errors, handedOut } = await counting(here, stageOf(here, loom(judged), { model }))
    await until(() => asked.length >= maxInFlight, 'every record in flight has asked')
    await here.append([utterance('one more')])
    assert.equal(handedOut(), maxInFlight)
    const before = performance.now()
    await members.close()
    assert.ok(performance.now() - before < 10_000, 'the lease is given up soon')
    assert.deepEqual(errors, [])
  })
}

test('as answers come, reading goes on, and never beyond the bound', async (t) => {
  const here = await world(t)
  await here.append(history(3))
  const held = heldModel()
  const { members, handedOut } = await counting(here, stageOf(here, loom(judged), { model: held.model }))
  let answered = 0
  await until(() => {
    assert.ok(handedOut() - answered <= maxInFlight)
    const [text] = held.waiting.keys()
    for (const each of [text, ...[...held.waiting.keys()].slice(1, 50)]) {
      if (each === undefined) continue
      held.letGo(each)
      answered += 1
    }
    return answered === count
  }, 'all are answered')
  await caughtUp(here)
  assert.equal((await topics(here)).length, count)
  await members.close()
})
