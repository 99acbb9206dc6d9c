import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyAuthor, openAccess } from '@loomlog/access/caller'
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { temporaryGateway } from '../fixture.ts'

test('the notice of an unknown space suggests no space of another tenant, and none that the key has no access to', async (t) => {
  let spaces: ReadonlySet<string> | null = null
  const { app, log, codec } = await temporaryGateway(t, {
    access: {
      ...openAccess,
      isOpen: false,
      authenticate: async () => ({
        name: 'key:k1',
        tenant: 'acme',
        scopes: new Set(['recall'] as const),
        spaces,
        authors: anyAuthor,
        credential: { kind: 'key', id: 'k1' },
      }),
    },
  })
  for (const [tenant, space] of [
    ['acme', 'home'],
    ['acme', 'homer'],
    ['other', 'homes'],
  ] as const) {
    const said = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'I row.' }
    await log.append('utterances', [recordOf(utteranceFrom(said, { tenant, space }, 0), codec)])
  }
  const noticesOf = async (method: 'GET' | 'POST', path: string) => {
    const headers = { authorization: 'x', ...(method === 'POST' && { 'content-type': 'application/json' }) }
    const payload = method === 'POST' ? { payload: '{"pattern": "row"}' } : {}
    const reply = await app.inject({ method, url: `/v1/spaces/${path}`, headers, ...payload })
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json().notices
  }
  const says = 'there is no space named "hom"; the nearest:'
  for (const read of [
    () => noticesOf('GET', 'hom/recall?query=row'),
    () => noticesOf('GET', 'hom/context'),
    () => noticesOf('POST', 'hom/tools/exact_pattern'),
  ]) {
    spaces = null
    assert.deepEqual(await read(), [`${says} "home", "homer"`])
    spaces = new Set(['home', 'hom'])
    assert.deepEqual(await read(), [`${says} "home"`])
  }
  assert.equal(await noticesOf('GET', 'home/recall?query=row'), undefined)
  assert.deepEqual(await noticesOf('GET', 'home/recall?query=row&speaker=Ad'), [
    'no speaker of home is named "Ad"; the nearest: "Ada"',
  ])
})
