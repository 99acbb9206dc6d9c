/** Log times of markers: readers tell the forgettings of a space apart by them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { append, folder, withHost } from '../../test/pipeline/forgetting-fixture.ts'
import { rewriteSpace } from './rewrite.ts'
import { noCriteria } from './selection.ts'
import { readEras } from './space-history.ts'

const place = { tenant: 'acme', space: 'home' }

test('markers of a space have rising log times, in one millisecond and after a clock was set back', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 6, 1) })
  await withHost(await folder(t), async (host) => {
    const speakers = ['Maya', 'Mallory', 'Ines', 'Tomas']
    const lines = speakers.map((speaker) => ({ id: speaker, conversation: 'c', speaker, text: 'Hi.' }))
    await append(
      host,
      lines.map((line) => utteranceFrom({ ...line, at: '2026-03-01T09:00:00Z' }, place, Date.now())),
    )
    const forget = (speaker: string) => {
      const selection = { ...noCriteria, speaker }
      return rewriteSpace({ id: speaker, ...place, selection, by: 'Ines', principal: null, at: 1 }, 0, host)
    }
    await forget('Mallory')
    await forget('Ines')
    t.mock.timers.setTime(Date.UTC(2026, 5, 1))
    await forget('Tomas')
    const times = (await readEras('acme/home', host)).flatMap(({ marker }) => marker?.appendedAt ?? [])
    const first = Date.UTC(2026, 6, 1)
    assert.deepEqual(times, [first, first + 1, first + 2])
  })
})
