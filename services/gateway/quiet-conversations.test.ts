import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordOf } from '@loomlog/intake/append'
import { pauseAfter, utteranceFrom } from '@loomlog/intake/utterance'
import type { Lease, Log } from '@loomlog/log/port'
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
  const said = (conversation: string, text: string, agoMs: number) =>
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
  const run = (through: Log = log) =>
    endQuietConversations({
      log: through,
      codec,
      pauseAfterMs,
      spacePauseAfterMs: 10 * pauseAfterMs,
      session: {},
      onError: (error) => assert.fail(error as Error),
    })
  return { log, said, append, pauses, run }
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await check())) {
    assert.ok(performance.now() < deadline, 'it took too long')
    await sleep(20)
  }
}

test('a quiet conversation is paused once, after its last utterance; one with new utterances is not', async (t) => {
  const { said, append, pauses, run } = await conversations(t)
  const last = said('old', 'Goodbye.', pauseAfterMs * 2)
  await append(said('old', 'Hello.', pauseAfterMs * 3), said('new', 'Hello.', 0), last)
  const first = await run()
  await eventually(async () => (await pauses()).length > 0)
  await first.close()
  const again = await run()
  await sleep(1_500)
  await again.close()
  assert.deepEqual(
    (await pauses()).map((pause) => [pause.conversation, pause.afterUtterance]),
    [['old', last.id]],
  )
})

test('a conversation that an importer has paused is left alone', async (t) => {
  const { said, append, pauses, run } = await conversations(t)
  const last = said('old', 'Goodbye.', pauseAfterMs * 2)
  await append(last, pauseAfter(last))
  const membership = await run()
  await sleep(1_500)
  await membership.close()
  assert.equal((await pauses()).length, 1)
})

test('a space without utterances for longer is paused once, behind the pauses of its conversations', async (t) => {
  const { said, append, pauses, run } = await conversations(t)
  const last = said('late', 'Bye.', 11 * pauseAfterMs)
  await append(said('early', 'Hello.', 12 * pauseAfterMs), last)
  const first = await run()
  await eventually(async () => (await pauses('SpacePaused')).length > 0)
  await first.close()
  const again = await run()
  await sleep(1_500)
  await again.close()
  assert.deepEqual(
    (await pauses('SpacePaused')).map((pause) => pause.afterUtterance),
    [last.id],
  )
  assert.equal((await pauses()).length, 2)
})

test('a space is not paused before its time', async (t) => {
  const { said, append, pauses, run } = await conversations(t)
  await append(said('old', 'Bye.', 9 * pauseAfterMs))
  const membership = await run()
  await eventually(async () => (await pauses()).length > 0)
  await membership.close()
  assert.deepEqual(await pauses('SpacePaused'), [])
})

test('a conversation that is open when its owner stops is paused by the next', async (t) => {
  const { said, append, pauses, run } = await conversations(t)
  await append(said('soon', 'Hello.', pauseAfterMs - 2_500))
  const first = await run()
  await sleep(1_200)
  await first.close()
  assert.equal((await pauses()).length, 0)
  const second = await run()
  await eventually(async () => (await pauses()).length === 1)
  await second.close()
})

test('pauses are no part of a commit, whose transaction would hold up the readers of utterances', async (t) => {
  const { log, said, append, pauses, run } = await conversations(t)
  await append(said('old', 'Goodbye.', pauseAfterMs * 2))
  const committed: number[] = []
  const noting = (lease: Lease): Lease =>
    Object.assign(Object.create(lease), {
      signal: lease.signal,
      position: lease.position,
      poll: lease.poll.bind(lease),
      commit: async (commit: Parameters<Lease['commit']>[0]) => {
        committed.push(commit.outputs.length)
        await lease.commit(commit)
      },
    })
  const membership = await run({
    ...log,
    join: (options) => log.join({ ...options, onLease: (lease) => options.onLease(noting(lease)) }),
  })
  await eventually(async () => (await pauses()).length > 0 && committed.length > 0)
  await membership.close()
  assert.deepEqual([...new Set(committed)], [0])
})
