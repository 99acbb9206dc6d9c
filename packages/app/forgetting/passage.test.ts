/** Whether everything behind a marker has the newest key, so that the retired ones may be destroyed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rewriteSpace } from '@loomlog/forgetting/rewrite'
import { noCriteria } from '@loomlog/forgetting/selection'
import { topicSpec } from '@loomlog/topics/catalogue'
import { append, demoEvents, derive, folder, sealedNow, withHost } from '../../../test/pipeline/forgetting-fixture.ts'
import { Passage } from './passage.ts'

const place = { tenant: 'acme', space: 'home' }

test('output of a stage that lags is outdated, behind the marker of any topic', async (t) => {
  await withHost(await folder(t), async (host) => {
    const [late, ...events] = (await demoEvents(place)).toReversed()
    assert.ok(late)
    await append(host, events.toReversed())
    await derive(host)
    const endAppend = await sealedNow(host, late)
    await host.log.sealing?.rotate('acme/home')
    const forgetting = { id: 'f1', ...place, selection: { ...noCriteria, speaker: 'Tomas' }, by: 'Ines', at: 1 }
    const passage = new Passage(host, forgetting)
    await rewriteSpace({ ...forgetting, principal: null }, 0, host)
    assert.notDeepEqual(await passage.behind(), [])
    const serving = await derive(host)
    assert.deepEqual(await passage.behind(), [])
    assert.equal(await passage.hasOutdated(), false, 'records before the marker may have a retired key')
    await endAppend(serving.topic(topicSpec('topic-shifts')))
    assert.equal(await passage.hasOutdated(), true)
  })
})
