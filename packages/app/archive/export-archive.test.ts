/** An export during which a forgetting begins, or is carried out, does not end as a whole one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendForgettingEvents, requestEvent } from '@loomlog/forgetting/forgettings'
import type { Host } from '@loomlog/host/open'
import { append, demoEvents, folder, withHost } from '../../../test/pipeline/forgetting-fixture.ts'
import { cloudEventsOf, topicOfSpaces } from '../export/cloud-events.ts'
import { statusEvent } from '../forgetting/job.ts'
import { archiveLines } from './export-archive.ts'

const place = { tenant: 'acme', space: 'home' }
const times = { from: null, to: null, appendedBefore: null }
const selection = { utterances: null, speaker: 'Tomas', conversation: null, ...times, everything: false }

const exports = {
  archive: (host: Host) => archiveLines(host, place, () => {}),
  records: (host: Host) =>
    cloudEventsOf(host, { spec: topicOfSpaces(host, 'utterances'), place, onUnreadable: assert.fail }),
}

for (const [name, linesOf] of Object.entries(exports))
  test(`an export as ${name} fails if a forgetting is requested or carried out meanwhile`, async (t) => {
    await withHost(await folder(t), async (host) => {
      await append(host, await demoEvents(place))
      const during = async (id: string, isCarriedOut: boolean) => {
        const lines: string[] = []
        const forgetting = { id, ...place, selection, by: 'Ines', principal: null, at: 1 }
        for await (const line of linesOf(host)) {
          lines.push(line)
          if (lines.length > 1) continue
          await appendForgettingEvents([requestEvent(forgetting)], host)
          if (isCarriedOut) await appendForgettingEvents([statusEvent(forgetting, 'destroyed', {})], host)
        }
        return lines
      }
      await assert.rejects(during('f1', true), { code: 'views-behind', message: /was carried out in acme\/home/ })
      await assert.rejects(during('f2', false), { code: 'views-behind', message: /is under way in acme\/home/ })
    })
  })
