import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease, Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { type FinishingCall, type LeaseLag, LeaseProgress } from './lease-progress.ts'

const record = { key: 't/s', value: Buffer.from('x'), timestamp: 0 }
const limits = { maxRecords: 1, maxWaitMs: 20 }

test('a handler that commits is behind only while records wait, and is stalled only without commits', async (t) => {
  const { log, lags } = await watched(t, 'commit', async (lease) => {
    let position = lease.position
    while (!lease.signal.aborted) {
      for (const { offset } of await lease.poll(limits)) position = offset + 1
      await lease.commit({ outputs: [], state: [], position })
    }
  })
  await log.append('utterances', [record, record])
  const [lag] = await settled(lags, (found) => found.length === 0)
  assert.equal(lag, undefined)
})

for (const finishedBy of ['commit', 'poll'] as const) {
  test(`a handler that hangs is stalled, where a ${finishedBy} finishes records`, async (t) => {
    const { log, lags } = await watched(t, finishedBy, async (lease) => {
      while ((await lease.poll(limits)).length === 0 && !lease.signal.aborted);
      await aborted(lease)
    })
    await log.append('utterances', [record, record])
    const [lag] = await settled(lags, ([found]) => (found?.sinceFinishedMs ?? 0) > 100 && (found?.behindMs ?? 0) > 100)
    assert.deepEqual([lag?.group, lag?.partition, lag?.position, lag?.end], ['g', 0, 0, 2])
    assert.equal(lag?.reads, 'first time')
  })
}

test('a partition that has records but returns none is stalled', async (t) => {
  const { log, lags } = await watched(
    t,
    'poll',
    async (lease) => {
      while (!lease.signal.aborted) await lease.poll(limits)
    },
    unreadable,
  )
  await log.append('utterances', [record])
  const [lag] = await settled(lags, ([found]) => (found?.sinceFinishedMs ?? 0) > 100 && (found?.behindMs ?? 0) > 100)
  assert.deepEqual([lag?.position, lag?.end], [0, 1])
})

test('a reader that seeks back is behind until it reaches its former position', async (t) => {
  let move: 'on' | 'back' | 'wait' = 'on'
  const { log, lags } = await watched(t, 'poll', async (lease) => {
    for (; !lease.signal.aborted; await sleep(5)) {
      if (move === 'wait') continue
      const isBack = move === 'back'
      if (isBack) lease.seek(0)
      await lease.poll(limits)
      if (isBack) move = 'wait'
    }
  })
  await log.append('utterances', [record, record])
  await settled(lags, (found) => found.length === 0)
  move = 'back'
  const [again] = await settled(lags, (found) => found.length > 0)
  assert.deepEqual([again?.reads, again?.position, again?.end], ['again', 0, 2])
  move = 'on'
  await settled(lags, (found) => found.length === 0)
})

/** A fake: the real log, whose leases never give a record. */
function unreadable(log: Log): Log {
  const silent = (lease: Lease): Lease => ({ ...lease, signal: lease.signal, poll: () => sleep(20, []) })
  return { ...log, join: (options) => log.join({ ...options, onLease: (lease) => options.onLease(silent(lease)) }) }
}

async function watched(
  t: TestContext,
  finishedBy: FinishingCall,
  onLease: (lease: Lease) => Promise<void>,
  spoiled: (log: Log) => Log = (log) => log,
) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-progress-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true, force: true })
  })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  const progress = new LeaseProgress()
  const onError = (error: unknown) => assert.fail(String(error))
  await progress.watch(spoiled(log), finishedBy).join({ group: 'g', topic: 'utterances', onLease, onError })
  return { log, lags: () => progress.lags(log) }
}

function aborted({ signal }: Lease): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function settled(lags: () => Promise<readonly LeaseLag[]>, isDone: (found: readonly LeaseLag[]) => boolean) {
  await sleep(100)
  for (const deadline = Date.now() + 20_000; ; await sleep(20)) {
    const found = await lags()
    if (isDone(found)) return found
    assert.ok(Date.now() < deadline, JSON.stringify(found))
  }
}
