/** Effectively once: after any number of interruptions, anywhere, the result equals that of an undisturbed run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import type { Lease, Log } from '@loomlog/log/port'
import type { RetryRequested, SourceEvent } from '@loomlog/schemas/events'
import { seededRandom, testSeed } from '../../test/seeded-random.ts'
import { boxes, dump, folder, openWorld, stageOf, until, type World } from './fixture.ts'
import type { LookAhead, Processor } from './processor.ts'
import { runStage } from './run.ts'
import { get, keyedRecord, put } from './step.ts'
import { unthrottled } from './throttle.ts'
import {
  extractor,
  fact,
  judgingStep,
  loom,
  modelReply,
  noAnswer,
  pairLookAhead,
  pairStep,
  pause,
  utterance,
} from './toy-processors.ts'

const rounds = 6
const partitions = 2
const facts = 'facts.d1'
const firstSeed = testSeed()

/** Whole numbers from 0 to `below`, exclusive. */
function chance(seed: number): (below: number) => number {
  const random = seededRandom(seed)
  return (below) => Math.floor(random() * below)
}

type Chance = ReturnType<typeof chance>

/** Five spaces, three conversations each, with duplicates, conflicts, pauses, retries and inputs that get no answer. */
function history(random: Chance): readonly SourceEvent[] {
  const events: SourceEvent[] = []
  for (let index = 0; index < 120; index++) {
    const place = { space: `s${random(5)}`, conversation: `c${random(3)}` }
    const known = events[random(events.length + 1)]
    const kind = random(12)
    if (kind === 0 && known) events.push({ ...known, appendedAt: index })
    else if (kind === 1 && known?.type === 'UtteranceAppended') events.push({ ...known, text: `conflict ${index}` })
    else if (kind === 2) events.push(pause(`p${index}`, place))
    else if (kind === 3 && known?.type === 'UtteranceAppended') events.push(retry(known.id, known.space, index))
    else events.push(utterance(`u${index}`, { ...place, text: kind === 4 ? `none ${index}` : `text ${random(40)}` }))
  }
  return events
}

function retry(input: string, space: string, index: number): RetryRequested {
  const rest = { stage: 'topic-loom', parked: 'p', attempt: 2, by: 'Ada', at: 1, appendedAt: 1, keyId: null }
  return { type: 'RetryRequested', id: `r${index}`, tenant: 't', space, input, ...rest }
}

const factsSoFar = keyedRecord<number>('facts-so-far')

const counting = extractor(
  function* (event) {
    const before = (yield* get(factsSoFar, '')) ?? 0
    yield* put(factsSoFar, '', before + 1)
    return [fact(event, `${before}: ${event.topic}`), fact(event, 'and another')]
  },
  { lane: () => '' },
)

/** Answers after a random delay; the same text gets the same answer. */
function model(random: Chance) {
  return {
    name: 'toy',
    parameters: {},
    async answer({ input }: { readonly input: unknown }) {
      const { text } = input as { readonly text: string }
      await sleep(text.length % 2 === 0 ? random(4) : random(16))
      return text.startsWith('none') ? noAnswer : modelReply({ label: text })
    },
  }
}

/** A log whose commits fail at random, before or after the write. */
function unreliable(log: Log, random: Chance, oneIn: number): Log {
  const faulty = (lease: Lease): Lease => ({
    topic: lease.topic,
    partition: lease.partition,
    epoch: lease.epoch,
    position: lease.position,
    state: lease.state,
    signal: lease.signal,
    poll: ({ maxRecords, maxWaitMs }) => lease.poll({ maxRecords: Math.min(maxRecords, 1 + random(20)), maxWaitMs }),
    seek: (offset) => lease.seek(offset),
    async commit(commit) {
      const fate = random(oneIn)
      if (fate === 0) throw new LoomlogError('log-unavailable', 'failed before the commit')
      await lease.commit(commit)
      if (fate === 1) throw new LoomlogError('log-unavailable', 'failed after the commit')
    },
  })
  return { ...log, join: (options) => log.join({ ...options, onLease: (lease) => options.onLease(faulty(lease)) }) }
}

interface Attempt {
  /** The first stage. */
  readonly first: Processor
  /** One in this many commits fails before the write, and one in as many after it. */
  readonly oneIn: number
  readonly mostMs: number
}

/** Runs both stages until all is done (true), a stage fails, or the time is up. */
async function attempt(world: World, random: Chance, { first, oneIn, mostMs }: Attempt): Promise<boolean> {
  let failed = false
  const deadline = performance.now() + mostMs
  const log = unreliable(world.log, random, oneIn)
  for (const processor of [first, counting]) {
    // Few slots, so that records are skipped and read again.
    const throttle = { ...unthrottled, maxInFlight: 4 + random(40), roomWaitMs: random(8) }
    const stage = stageOf(world, processor, { model: model(random), throttle })
    await runStage({ log, stage, onError: () => (failed = true) })
  }
  let done = false
  await until(async () => {
    done = (await isDone(world, 'utterances')) && (await isDone(world, boxes))
    return done || failed || performance.now() > deadline
  }, 'it is done, or went wrong')
  return done
}

async function isDone(world: World, topic: string): Promise<boolean> {
  const ends = await world.log.endOffsets(topic)
  const groups = (await world.log.groups()).filter((group) => group.topic === topic)
  return groups.length === ends.length && groups.every(({ partition, position }) => position >= (ends[partition] ?? 0))
}

const parkedOf = async (world: World) =>
  (await world.events('parked')).flatMap((event) => (event.type === 'InputParked' ? [event.id] : [])).sort()

/** An answer may be recorded twice: its first owner may have lost the lease while it was on its way. */
const answersOf = async (world: World) =>
  [...new Set((await world.events('completions')).flatMap((event) => ('key' in event ? [event.key] : [])))].sort()

/** It ends by the limit of `until` alone, since a loaded machine is slow. */
const calmly = { oneIn: Number.MAX_SAFE_INTEGER, mostMs: Number.POSITIVE_INFINITY }
const inTurn = loom(judgingStep)

for (let round = 0; round < rounds; round++) {
  const seed = firstSeed + round
  // The undisturbed run asks in turn, so asks ahead change neither outputs nor recorded answers.
  const [asking, calmFirst, first] =
    round % 2 === 0
      ? ['in turn', inTurn, inTurn]
      : ['ahead of order', loom(pairStep), loom(pairStep, { lookAhead: pairLookAhead as LookAhead })]
  test(`after random interruptions nothing is lost, duplicated or out of order, asking ${asking} (LOOMLOG_SEED=${seed})`, async (t) => {
    const random = chance(seed)
    const events = history(random)
    const calm = await openWorld(await folder(t), partitions)
    await calm.append(events)
    assert.equal(await attempt(calm, random, { first: calmFirst, ...calmly }), true)
    const [expected, expectedFacts, expectedParked] = [await dump(calm), await dump(calm, facts), await parkedOf(calm)]
    const expectedAnswers = await answersOf(calm)
    await calm.close()
    const dir = await folder(t)
    let appended = 0
    for (let done = false; !done; ) {
      const here = await openWorld(dir, partitions)
      const some = events.slice(appended, appended + random(60))
      appended += some.length
      await here.append(some)
      const calmNow = appended === events.length && random(4) === 0
      const finished = await attempt(here, random, {
        first,
        ...(calmNow ? calmly : { oneIn: 6, mostMs: 5 + random(80) }),
      })
      await here.close()
      done = finished && appended === events.length
    }
    const after = await openWorld(dir, partitions)
    t.after(() => after.close())
    assert.deepEqual(await dump(after), expected)
    assert.deepEqual(await dump(after, facts), expectedFacts)
    assert.deepEqual(await parkedOf(after), expectedParked)
    assert.deepEqual(await answersOf(after), expectedAnswers)
  })
}
