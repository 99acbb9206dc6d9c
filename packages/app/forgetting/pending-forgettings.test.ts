/** Records and rows that readers leave out while a forgetting is under way, and shortly after it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { appendForgettingEvents, requestEvent } from '@loomlog/forgetting/forgettings'
import { rewriteSpace } from '@loomlog/forgetting/rewrite'
import { noCriteria } from '@loomlog/forgetting/selection'
import type { Host } from '@loomlog/host/open'
import { PendingForgettings } from '@loomlog/host/pending-forgettings'
import type { Log } from '@loomlog/log/port'
import { append, demoEvents, folder, withHost } from '../../../test/pipeline/forgetting-fixture.ts'
import { statusEvent } from './job.ts'

const [space, source] = ['acme/home', 'utterances']
const place = { tenant: 'acme', space: 'home' }
const by = { by: 'Ines', principal: null, at: 1 }
const forgetting = { id: 'f1', ...place, selection: { ...noCriteria, speaker: 'Tomas' }, ...by }
const minute = 60_000

/** Works on a space whose forgetting is requested. */
function withRequest(t: TestContext, work: (host: Host, pending: PendingForgettings) => Promise<void>): Promise<void> {
  return folder(t).then((dir) =>
    withHost(dir, async (host) => {
      await append(host, await demoEvents(place))
      await appendForgettingEvents([requestEvent(forgetting)], host)
      await work(host, new PendingForgettings(host))
    }),
  )
}

/** The offset of the marker. */
async function rewrite(host: Host): Promise<number> {
  const before = Math.max(...(await host.log.endOffsets(source)))
  await rewriteSpace(forgetting, 0, host)
  await appendForgettingEvents([statusEvent(forgetting, 'rewritten', { markers: 1 })], host)
  return before
}

test('records that were read before their destruction are left out after it, for some minutes', async (t) => {
  await withRequest(t, async (host, pending) => {
    assert.equal(await pending.beginningOf(space, source), Number.POSITIVE_INFINITY)
    const marker = await rewrite(host)
    const destroyed = statusEvent(forgetting, 'destroyed', {})
    await appendForgettingEvents([destroyed, statusEvent(forgetting, 'certified', {})], host)
    assert.equal(await pending.beginningOf(space, source), marker)
    assert.equal(await pending.beginningOf(space, 'completions'), 0, 'a topic without a marker is read as before')
    assert.equal(await pending.isUnderWay(space), false)
    assert.equal(await pending.isVoid({ space, source, watermark: async () => 0 }), false)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 11 * minute })
    assert.equal(await pending.beginningOf(space, source), 0)
    assert.equal(await new PendingForgettings(host).beginningOf(space, source), 0, 'a later process holds nothing')
    assert.equal(await new PendingForgettings(host).isUnderWay(space), false)
  })
})

test('the view of a generation that is started late is void until it has passed the marker, also once all is listed', async (t) => {
  await withRequest(t, async (host, pending) => {
    const marker = await rewrite(host)
    await appendForgettingEvents([statusEvent(forgetting, 'listed', {})], host)
    const isVoid = (watermark: number) => pending.isVoid({ space, source, watermark: async () => watermark })
    assert.equal(await isVoid(marker), true)
    assert.equal(await isVoid(marker + 1), false)
    // The second rewrite of a log that doesn't erase: what the view has from behind the first marker is kept.
    await rewriteSpace(forgetting, 1, host)
    assert.equal(await isVoid(marker), true)
    assert.equal(await isVoid(marker + 1), false)
    assert.ok((await pending.beginningOf(space, source)) > marker + 1)
  })
})

test('a request that could not be read, or is being read, is not taken for known', async (t) => {
  await withRequest(t, async (host) => {
    let failure: (() => Promise<void>) | null = async () => {
      throw new LoomlogError('log-unavailable', 'the log is away')
    }
    const read: Log['read'] = async function* (options) {
      await failure?.()
      yield* host.log.read(options)
    }
    const pending = new PendingForgettings({ ...host, log: { ...host.log, read, maxEndAgeMs: minute } })
    const view = { space, source, watermark: async () => 0 }
    assert.equal(await pending.isVoid(view), false, 'nothing is known yet')
    const gate = Promise.withResolvers<void>()
    failure = () => gate.promise
    const isVoid = pending.isVoid(view)
    const beginning = pending.beginningOf(space, source)
    setTimeout(gate.resolve, 200)
    assert.equal(await beginning, Number.POSITIVE_INFINITY)
    assert.equal(await isVoid, true)
  })
})
