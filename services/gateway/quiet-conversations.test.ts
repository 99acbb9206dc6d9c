import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordOf } from '@loomlog/intake/append'
import { conversationPauseAfter, utteranceFrom } from '@loomlog/intake/utterance'
import type { Commit, Lease, Log, LogRecord } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { endQuietConversations } from './quiet-conversations.ts'

const pauseAfterMs = 60_000

async function conversations(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-quiet-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const place = { tenant: 'acme', space: 'home' }
  const utterance = (conversation: string, text: string, agoMs: number) =>
    utteranceFrom({ conversation, speaker: 'Ann', at: '2026-03-02T09:00:00Z', text }, place, Date.now() - agoMs)
  const append = (...events: Parameters<typeof recordOf>[0][]) =>
    log.append(
      'utterances',
      events.map((event) => recordOf(event, codec)),
    )
  async function pauses(type: 'ConversationPaused' | 'SpacePaused' = 'ConversationPaused') {
    const found: { readonly conversation?: string; readonly afterUtterance: string }[] = []
    for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
      for (const { value } of records) {
        const event = await codec.decodeOwn(value)
        if (event?.type === type) found.push(event)
      }
    }
    return found
  }
  const run = (through: Log = log, afterMs = pauseAfterMs) =>
    endQuietConversations({
      log: through,
      codec,
      pauseAfterMs: afterMs,
      spacePauseAfterMs: 10 * afterMs,
      session: {},
      onError: (error) => assert.fail(error as Error),
    })
  /** Runs until everything in the log had its chance to be paused: two polls in a row have no records. */
  async function runToEnd(afterMs = pauseAfterMs) {
    const atEnd = Promise.withResolvers<void>()
    let emptyPolls = 0
    const poll = async (lease: Lease) => {
      const records = await lease.poll({ maxRecords: 1_000, maxWaitMs: 10 })
      emptyPolls = records.length === 0 ? emptyPolls + 1 : 0
      if (emptyPolls === 2) atEnd.resolve()
      return records
    }
    const membership = await run(withLease(log, { poll }), afterMs)
    await atEnd.promise
    await membership.close()
  }
  return { log, codec, utterance, append, pauses, run, runToEnd }
}

interface LeaseChange {
  poll?(lease: Lease): Promise<readonly LogRecord[]>
  onCommit?(commit: Commit): void
}

/** The log with other leases. */
function withLease(log: Log, { poll, onCommit = () => {} }: LeaseChange): Log {
  const changed = (lease: Lease): Lease =>
    Object.assign(Object.create(lease), {
      signal: lease.signal,
      position: lease.position,
      partition: lease.partition,
      poll: poll ? () => poll(lease) : lease.poll.bind(lease),
      commit: async (commit: Commit) => {
        onCommit(commit)
        await lease.commit(commit)
      },
    })
  return { ...log, join: (options) => log.join({ ...options, onLease: (lease) => options.onLease(changed(lease)) }) }
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await check())) {
    assert.ok(performance.now() < deadline, 'it took too long')
    await sleep(20)
  }
}

test('a quiet conversation is paused once, after its last utterance; one with new utterances is not', async (t) => {
  const { utterance, append, pauses, run, runToEnd } = await conversations(t)
  const last = utterance('old', 'Goodbye.', pauseAfterMs * 2)
  await append(utterance('old', 'Hello.', pauseAfterMs * 3), utterance('new', 'Hello.', 0), last)
  const first = await run()
  await eventually(async () => (await pauses()).length > 0)
  await first.close()
  await runToEnd()
  assert.deepEqual(
    (await pauses()).map((pause) => [pause.conversation, pause.afterUtterance]),
    [['old', last.id]],
  )
})

test('a conversation that an importer has paused is not paused again', async (t) => {
  const { utterance, append, pauses, runToEnd } = await conversations(t)
  const last = utterance('old', 'Goodbye.', pauseAfterMs * 2)
  await append(last, conversationPauseAfter(last))
  await runToEnd()
  assert.equal((await pauses()).length, 1)
})

test('a space that is quiet for longer is paused once, after the pauses of its conversations', async (t) => {
  const { utterance, append, pauses, run, runToEnd } = await conversations(t)
  const last = utterance('late', 'Bye.', 11 * pauseAfterMs)
  await append(utterance('early', 'Hello.', 12 * pauseAfterMs), last)
  const first = await run()
  await eventually(async () => (await pauses('SpacePaused')).length > 0)
  await first.close()
  await runToEnd()
  assert.deepEqual(
    (await pauses('SpacePaused')).map((pause) => pause.afterUtterance),
    [last.id],
  )
  assert.equal((await pauses()).length, 2)
})

test('a space is not paused before its time', async (t) => {
  const { utterance, append, pauses, run } = await conversations(t)
  await append(utterance('old', 'Bye.', 9 * pauseAfterMs))
  const membership = await run()
  await eventually(async () => (await pauses()).length > 0)
  await membership.close()
  assert.deepEqual(await pauses('SpacePaused'), [])
})

test('a conversation that is open when its owner stops is paused by the next', async (t) => {
  const { utterance, append, pauses, run, runToEnd } = await conversations(t)
  await append(utterance('soon', 'Hello.', pauseAfterMs))
  await runToEnd(60 * pauseAfterMs)
  assert.equal((await pauses()).length, 0)
  const second = await run()
  await eventually(async () => (await pauses()).length === 1)
  await second.close()
})

test('pauses are appended outside of the lease’s commit, whose transaction would hold up the readers of utterances', async (t) => {
  const { log, utterance, append, pauses, run } = await conversations(t)
  await append(utterance('old', 'Goodbye.', pauseAfterMs * 2))
  const committed: number[] = []
  const membership = await run(withLease(log, { onCommit: ({ outputs }) => committed.push(outputs.length) }))
  await eventually(async () => (await pauses()).length > 0 && committed.length > 0)
  await membership.close()
  assert.deepEqual([...new Set(committed)], [0])
})

test('no conversation and no space is paused before everything that the log has of it is read', async (t) => {
  const { log, utterance, append, pauses, run } = await conversations(t)
  const last = utterance('quiet', 'Bye.', 11 * pauseAfterMs)
  await append(utterance('lively', 'Hello.', 30 * pauseAfterMs), last, utterance('lively', 'Still here.', 0))
  // As the rest of a fetch: fewer records than there are.
  const membership = await run(withLease(log, { poll: (lease) => lease.poll({ maxRecords: 1, maxWaitMs: 10 }) }))
  await eventually(async () => (await pauses()).length > 0)
  await membership.close()
  assert.deepEqual(
    (await pauses()).map((pause) => pause.afterUtterance),
    [last.id],
  )
  assert.deepEqual(await pauses('SpacePaused'), [])
})

test('a partition may have any number of open conversations and spaces', async (t) => {
  const { log, codec, utterance, run } = await conversations(t)
  const { value, timestamp } = recordOf(utterance('c', 'Hello.', 0), codec)
  const record = (offset: number) => ({ topic: 'utterances', partition: 0, offset, key: `acme/${offset}`, value })
  const records = Array.from({ length: 200_000 }, (_, offset) => ({ ...record(offset), timestamp }))
  const goesOn = Promise.withResolvers<void>()
  const poll = async () => {
    if (records.length === 0) goesOn.resolve()
    await sleep(10)
    return records.splice(0)
  }
  const membership = await run(withLease(log, { poll }))
  await goesOn.promise
  await membership.close()
})

test('no pause names a conversation from before a forgetting; one that is kept is paused', async (t) => {
  const { utterance, append, pauses, run } = await conversations(t)
  const [gone, kept] = [utterance('gone', 'Bye.', pauseAfterMs * 2), utterance('kept', 'Bye.', pauseAfterMs * 2)]
  const { tenant, space, at, appendedAt } = gone
  const origin = { by: 'Ines', principal: null, keyId: null, at, appendedAt }
  const place = { tenant, space, seq: null, subject: '', forgetting: 'f', kept: 1 }
  await append(gone, kept, { type: 'SubjectForgotten', id: 'f', ...place, ...origin }, kept)
  const running = await run()
  await eventually(async () => (await pauses()).length > 0)
  await running.close()
  assert.deepEqual(
    (await pauses()).map(({ conversation }) => conversation),
    ['kept'],
  )
})
