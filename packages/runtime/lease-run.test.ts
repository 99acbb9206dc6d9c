import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Lease } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { caughtUp, run, stageOf, topics, until, world } from './fixture.ts'
import { runLease } from './lease-run.ts'
import { groupOf } from './run.ts'
import { countingStep, heldModel, judgingStep, loom, utterance } from './toy-processors.ts'

test('a step that throws is reported and commits nothing; the stage resumes when the step is repaired', async (t) => {
  const here = await world(t)
  let broken = true
  const toy = loom(function* (event) {
    const drafts = yield* countingStep(event)
    if (broken && event.id === '2') throw new Error('a bug')
    return drafts
  })
  await here.append([utterance('1'), utterance('2'), utterance('3')])
  const running = await run(here, toy)
  await until(() => running.errors.length > 0, 'the bug is reported')
  assert.match(String(running.errors[0]), /a bug/)
  broken = false
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0', 's: c#1', 's: c#2'])
  assert.deepEqual(await here.events('parked'), [])
})

test('a registry that does not answer stops the stage, and parks nothing', async (t) => {
  const here = await world(t)
  let away = true
  const codec: Pick<Codec, 'encode' | 'decodeEach'> = {
    encode: (event) => here.codec.encode(event),
    async decodeEach(values) {
      if (away) throw new LoomlogError('log-unavailable', 'the registry does not answer')
      return here.codec.decodeEach(values)
    },
  }
  await here.append([utterance('1')])
  const running = await run({ ...here, codec: codec as Codec }, loom(countingStep))
  await until(() => running.errors.length > 0, 'the failure is reported')
  away = false
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0'])
  assert.deepEqual(await here.events('parked'), [])
})

test('closing while asks wait releases the partition at once, and the next owner asks again', async (t) => {
  const here = await world(t)
  const held = heldModel()
  await here.append([utterance('1', { text: 'x' })])
  const first = await run(here, loom(judgingStep), { model: held.model })
  await until(() => held.waiting.size === 1, 'the ask waits')
  await first.close()
  assert.deepEqual(first.errors, [])
  held.waiting.clear()
  const second = await run(here, loom(judgingStep), { model: held.model })
  await until(() => held.waiting.size === 1, 'the next owner asks')
  held.letGo('x')
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0: x'])
  assert.deepEqual(second.errors, [])
})

test('no record is committed twice, and an idle stage commits nothing', async (t) => {
  const here = await world(t)
  const commits: number[] = []
  await run(here, loom(countingStep), { onCommit: ({ position }) => commits.push(position) })
  await here.append([utterance('1')])
  await caughtUp(here)
  await here.append([utterance('2')])
  await caughtUp(here)
  // Several times as long as a commit waits for others.
  await sleep(100)
  assert.deepEqual(commits, [1, 2])
})

test('an owner that began with an empty state never reads its own writes back from the log', async (t) => {
  const here = await world(t)
  const read: string[] = []
  const stage = stageOf(here, loom(countingStep))
  const members = await here.log.join({
    group: groupOf('topic-loom', stage.derivation),
    topic: 'utterances',
    onLease: (lease) => runLease(watched(lease, read), stage),
    onError: (error) => assert.fail(String(error)),
  })
  for (const id of ['1', '2', '3']) {
    await here.append([utterance(id)])
    await caughtUp(here)
  }
  await members.close()
  assert.deepEqual(read, [])
})

test('an owner whose commit is fenced ends with an error', async (t) => {
  const here = await world(t)
  const stage = stageOf(here, loom(countingStep))
  const errors: unknown[] = []
  let tries = 0
  const members = await here.log.join({
    group: groupOf('topic-loom', stage.derivation),
    topic: 'utterances',
    onLease: (lease) => {
      const commit = async () => {
        tries += 1
        throw new LoomlogError('fenced', 'another owner has it')
      }
      return runLease({ ...watched(lease, []), commit }, stage)
    },
    onError: (error) => errors.push(error),
  })
  await here.append([utterance('1')])
  await until(() => tries > 0 && members.heldPartitions.length === 0, 'the partition is given up')
  await until(() => errors.length > 0, 'the error is reported')
  assert.ok(isLoomlogError(errors[0], 'fenced'))
})

test('a commit that fails for good is reported, although its lease ended first', async (t) => {
  const here = await world(t)
  const stage = stageOf(here, loom(countingStep))
  const errors: unknown[] = []
  const lost = new AbortController()
  const commit = async () => {
    lost.abort()
    throw new LoomlogError('record-too-large', 'the broker takes no such record')
  }
  await here.append([utterance('1')])
  const members = await here.log.join({
    group: groupOf('topic-loom', stage.derivation),
    topic: 'utterances',
    onLease: (lease) => runLease({ ...watched(lease, []), signal: lost.signal, commit }, stage),
    onError: (error) => errors.push(error),
  })
  await until(() => lost.signal.aborted, 'the commit fails')
  await members.close()
  assert.ok(isLoomlogError(errors[0], 'record-too-large'))
})

test('a step that waits for its event-loop slice never starts once its lease has ended', async (t) => {
  const here = await world(t)
  const lost = new AbortController()
  const started: string[] = []
  const toy = loom(function* (event) {
    started.push(event.id)
    if (event.id === '2') lost.abort()
    // Longer than a slice.
    for (const at = performance.now(); performance.now() < at + 10; );
    return yield* countingStep(event)
  })
  await here.append(['1', '2', '3'].map((id) => utterance(id, { conversation: id })))
  const members = await here.log.join({
    group: groupOf('topic-loom', stageOf(here, toy).derivation),
    topic: 'utterances',
    onLease: (lease) => runLease({ ...watched(lease, []), signal: lost.signal }, stageOf(here, toy)),
    onError: (error) => assert.fail(String(error)),
  })
  await until(() => lost.signal.aborted, 'the lease ends')
  await members.close()
  assert.deepEqual(started, ['1', '2'])
})

/** A lease that records which keys of committed state were read. */
function watched(lease: Lease, read: string[]): Lease {
  return {
    topic: lease.topic,
    partition: lease.partition,
    epoch: lease.epoch,
    position: lease.position,
    signal: lease.signal,
    state: {
      get(key) {
        read.push(key)
        return lease.state.get(key)
      },
      getMany: (keys) => lease.state.getMany(keys),
      range: (prefix, limit) => lease.state.range(prefix, limit),
      some: (prefix, limit) => lease.state.some(prefix, limit),
    },
    poll: (limits) => lease.poll(limits),
    seek: (offset) => lease.seek(offset),
    commit: (commit) => lease.commit(commit),
  }
}
