/** The progress of a partition whose leases come and go, with a clock that only the test moves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JoinOptions, Lease, Log, LogRecord } from '@loomlog/log/port'
import { type FinishingCall, type LeaseLag, LeaseProgress } from './lease-progress.ts'

const limits = { maxRecords: 1, maxWaitMs: 0 }

/** A partition with 9 records, of which the group has committed 5. */
function partition(finishedBy: FinishingCall) {
  const state = { now: 1_000, position: 5, end: 9 }
  const progress = new LeaseProgress({ clock: () => state.now })
  let joined: JoinOptions | null = null
  const log = {
    endOffsets: async () => [state.end],
    join: async (options: JoinOptions) => {
      joined = options
      return { held: [], close: async () => {} }
    },
  } as unknown as Log
  const lagged = async () => (await progress.lags(log))[0]
  const held = async () => (await progress.leases(log)).length
  let work: (lease: Lease) => Promise<void> = async () => {}
  const onLease = (lease: Lease) => work(lease)
  void progress.watch(log, finishedBy).join({ group: 'g', topic: 'facts', onLease, onError: assert.fail })
  /** A lease that lasts as long as the work. */
  async function lease(handler: (lease: Lease) => Promise<void>): Promise<void> {
    work = handler
    let next = state.position
    const own = {
      topic: 'facts',
      partition: 0,
      epoch: 1,
      position: next,
      signal: new AbortController().signal,
      poll: async () => (next < state.end ? [{ offset: next++ } as LogRecord] : []),
      seek: (offset: number) => {
        next = offset
      },
      commit: async ({ position }: { readonly position: number }) => {
        state.position = position
      },
    }
    await joined?.onLease(own as unknown as Lease)
  }
  return { state, lagged, held, lease }
}

/** Reads to the end in every lease, and fails before it has finished a record. */
async function failing({ poll }: Lease): Promise<void> {
  for (let read = 0; read < 5; read += 1) await poll(limits)
}

const times = (lag: LeaseLag | undefined) => [lag?.behindMs ?? 0, lag?.sinceFinishedMs ?? 0]

for (const finishedBy of ['commit', 'poll'] as const) {
  test(`a crash loop counts as one time without progress, where a ${finishedBy} finishes records`, async () => {
    const { state, lagged, lease } = partition(finishedBy)
    for (let leases = 0; leases < 300; leases += 1) {
      await lease(async (own) => {
        await failing(own)
        await lagged()
        state.now += 200
      })
      state.now += 1_000
      state.end += 1
    }
    const whileFree = times(await lagged())
    assert.ok(Math.min(...whileFree) > 350_000, `while the partition is free: ${whileFree}`)
    await lease(async (own) => {
      await failing(own)
      const whileHeld = times(await lagged())
      assert.ok(Math.min(...whileHeld) > 350_000, `while it is held: ${whileHeld}`)
    })
  })

  test(`an idle partition that is taken again is not behind for longer, where a ${finishedBy} finishes records`, async () => {
    const { state, lagged, lease } = partition(finishedBy)
    const finishAll = async (own: Lease) => {
      await failing(own)
      await own.commit({ outputs: [], state: [], position: state.end })
      await lagged()
      state.now += 3_600_000
      await own.poll(limits)
    }
    await lease(finishAll)
    state.now += 1_000
    await lease(async () => {
      state.end += 1
      await lagged()
      state.now += 500
      assert.ok(Math.min(...times(await lagged())) <= 1_500)
    })
  })
}

test('a commit is progress, also in a lease that then fails', async () => {
  const { state, lagged, lease } = partition('commit')
  for (let leases = 0; leases < 100; leases += 1) {
    await lease(async ({ commit }) => {
      await lagged()
      await commit({ outputs: [], state: [], position: state.position + 1 })
    })
    state.end += 1
    state.now += 1_000
  }
  const [, sinceFinishedMs = 0] = times(await lagged())
  assert.ok(sinceFinishedMs <= 1_000, `${sinceFinishedMs}`)
})

test('the records that another process finished between two leases are progress', async () => {
  const { state, lagged, lease } = partition('commit')
  for (const position of [5, 7]) {
    state.position = position
    await lease(async () => {
      assert.deepEqual(times(await lagged()), [0, 0])
      state.now += 600_000
    })
  }
})

test('a reader that has stored every record is not behind when its partition is taken again', async () => {
  const { state, lagged, lease } = partition('poll')
  for (const _ of [1, 2]) {
    await lease(async ({ seek, poll }) => {
      seek(state.end)
      await poll(limits)
      await poll(limits)
      assert.equal(await lagged(), undefined)
    })
    state.now += 1_000
  }
})

test('polls are progress again in a lease that lasts', async () => {
  const { state, lagged, lease } = partition('poll')
  await lease(failing)
  state.now += 1_000
  await lease(async ({ poll }) => {
    state.now += 20_000
    await poll(limits)
    assert.deepEqual(times(await lagged()), [21_000, 21_000])
    state.now += 10_000
    await poll(limits)
    assert.deepEqual(times(await lagged()), [0, 0])
  })
})

test('a partition that another process keeps is listed for half a minute, and its time stands still', async () => {
  const { state, lagged, held, lease } = partition('commit')
  await lease(async () => {
    await lagged()
    state.now += 700
  })
  state.now += 30_000
  assert.deepEqual(times(await lagged()), [700, 700])
  assert.equal(await held(), 0)
  state.now += 1
  assert.equal(await lagged(), undefined)
})

test('short leases with a long time between them are no loop', async () => {
  const { state, lagged, lease } = partition('poll')
  for (let leases = 0; leases < 3; leases += 1) {
    await lease(async (own) => {
      assert.deepEqual(times(await lagged()), [0, 0])
      await failing(own)
    })
    state.now += 3_600_000
  }
})
