/** Filters made before entries had types of their own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntryPublished } from '@loomlog/schemas/events'
import { receiver, waitUntil, webhooksFixture } from './fixture.ts'

test('a webhook for changed documents or profiles gets their entries too, as it did before entries had types', async (t) => {
  const fixture = await webhooksFixture(t)
  const [documents, profiles, entries] = [await receiver(t), await receiver(t), await receiver(t)]
  await fixture.create(documents.url, { types: ['loomlog.document.changed'] })
  await fixture.create(profiles.url, { types: ['loomlog.profile.changed'] })
  await fixture.create(entries.url, { types: ['loomlog.entry.recorded'] })
  await fixture.start()
  await fixture.append(entryOf('a topic', { kind: 'topic', change: 'inserted' }))
  await fixture.append(entryOf('a profile', { kind: 'profile', change: 'inserted' }))
  await fixture.append(entryOf('a profile without it', { kind: 'profile', change: 'retracted' }))
  await waitUntil(() => entries.ids.length === 2 && documents.ids.length === 1 && profiles.ids.length === 2)
  assert.deepEqual(documents.ids, ['a topic'])
  assert.deepEqual(profiles.ids, ['a profile', 'a profile without it'])
  const types = profiles.received.map(({ body }) => (JSON.parse(body) as { readonly type: string }).type)
  assert.deepEqual(types, ['loomlog.entry.recorded', 'loomlog.entry.retracted'], 'the event itself has its own type')
})

function entryOf(id: string, of: Pick<EntryPublished, 'kind' | 'change'>): EntryPublished {
  const place = { id, tenant: 'acme', space: 'home', generation: 'g', at: 1, keyId: null }
  const content = { document: 'd', title: 'Boats', heading: 'Zoë’s', text: 'It is green.', when: null, validFrom: 1 }
  const from = { replacedBy: null, speaker: 'Zoë', role: 'human', facts: [], sources: [] } as const
  return { type: 'EntryPublished', ...place, ...of, ...content, ...from, memory: 'm', because: 'derived' }
}
