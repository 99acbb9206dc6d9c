/** The routes of forgettings on a server with keys: the rights they need, their replies, and their effects. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createKey, type KeyRequest } from '@loomlog/access/key-store'
import { connect } from '@loomlog/client'
import type { ForgettingDetails, ForgettingReply } from '@loomlog/client/api'
import { readForgettings } from '@loomlog/forgetting/forgettings'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { utteranceFrom } from '@loomlog/intake/utterance'
import pino from 'pino'
import { eventually } from '../../../test/eventually.ts'
import { append, folder, settings } from '../../../test/pipeline/forgetting-fixture.ts'
import { startServer } from '../server.ts'

const everyScope = ['append', 'recall', 'correct', 'forget'] as const
const keyRequests = {
  acme: { tenant: 'acme', spaces: null, scopes: everyScope },
  reader: { tenant: 'acme', spaces: null, scopes: ['append', 'recall', 'correct'] },
  narrow: { tenant: 'acme', spaces: ['garden'], scopes: everyScope },
  maya: { tenant: 'acme', spaces: null, scopes: everyScope, speakers: ['Maya'] },
  other: { tenant: 'other', spaces: null, scopes: everyScope },
} satisfies { readonly [name: string]: Omit<KeyRequest, 'label'> }
type KeyName = keyof typeof keyRequests

const request = { speaker: 'Mallory', by: 'Ines', preview: false }
const unknownId = '0'.repeat(32)
const patienceMs = 30_000

describe('the routes of forgettings', () => {
  let host: Host
  let url: string
  const keys = new Map<KeyName, string>()
  const closing: (() => Promise<unknown>)[] = []

  before(async () => {
    const dir = await folder({ after: (end) => closing.push(end) })
    host = await openHost(configFrom(settings(dir)))
    closing.push(() => host.close())
    for (const name of Object.keys(keyRequests) as KeyName[])
      keys.set(name, (await createKey({ label: name, ...keyRequests[name] }, host)).text)
    const address = { host: '127.0.0.1', port: 0 }
    const { signal } = new AbortController()
    const server = await startServer(host, { address, logger: pino({ level: 'silent' }), signal, onNews() {} })
    closing.push(() => server.close())
    url = server.url
  })
  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  /** Utterances of Maya and Mallory in a space. */
  async function talk(space: string, tenant = 'acme'): Promise<void> {
    const said = (speaker: string, text: string) =>
      utteranceFrom(
        { id: `${speaker}-1`, conversation: 'c', speaker, at: '2026-03-02T09:00:00Z', text },
        { tenant, space },
        Date.now(),
      )
    await append(host, [said('Maya', 'Mallory lives in Porto.'), said('Mallory', 'I live in Canarytown.')])
  }

  async function call<T>(key: KeyName | null, path: string, body?: unknown) {
    const reply = await fetch(`${url}/v1/spaces/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(key !== null && { authorization: `Bearer ${keys.get(key)}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as T & { readonly detail?: string } }
  }
  const post = (key: KeyName | null, space: string, body: unknown) =>
    call<ForgettingReply>(key, `${space}/forgettings`, body)
  const get = (key: KeyName | null, space: string, id: string) =>
    call<ForgettingDetails>(key, `${space}/forgettings/${id}`)

  async function certified(space: string, id: string | null) {
    const details = () => get('acme', space, String(id))
    await eventually(async () => assert.equal((await details()).body.status, 'certified'), patienceMs)
    return (await details()).body.certificate as {
      readonly principal: string
      readonly ids: readonly string[]
      readonly kept: number
    }
  }

  async function speakersIn(space: string): Promise<readonly string[]> {
    const { body } = await call<{ readonly memories: readonly { readonly speaker?: string }[] }>(
      'acme',
      `${space}/memories?kind=utterance`,
    )
    return body.memories.map(({ speaker = '' }) => speaker).sort()
  }

  test('a preview counts what would be destroyed, names mentions, and changes nothing', async () => {
    await talk('preview')
    const { status, body } = await post('acme', 'preview', { ...request, preview: true })
    const { utterances, conversations, corrections, kept, id, mentions } = body
    assert.deepEqual(
      { status, utterances, conversations, corrections, kept, id, mentions },
      {
        status: 200,
        utterances: 1,
        conversations: 1,
        corrections: 0,
        kept: 1,
        id: null,
        mentions: [{ id: 'Maya-1', conversation: 'c', text: 'Maya: Mallory lives in Porto.' }],
      },
    )
    assert.deepEqual(await readForgettings('acme/preview', host), [])
  })

  test('a request is accepted, carried out, and certified in the name of the key', async () => {
    await talk('whole')
    await eventually(async () => assert.deepEqual(await speakersIn('whole'), ['Mallory', 'Maya']), patienceMs)
    const { status, body } = await post('acme', 'whole', request)
    assert.deepEqual([status, body.preview, body.utterances], [202, false, 1])
    const certificate = await certified('whole', body.id)
    assert.deepEqual([certificate.ids.length, certificate.kept], [1, 1])
    assert.match(certificate.principal, /^key:/)
    await eventually(async () => assert.deepEqual(await speakersIn('whole'), ['Maya']), patienceMs)
    const again = await post('acme', 'whole', request)
    assert.deepEqual([again.status, again.body.id, again.body.utterances], [200, null, 0])
  })

  test('a request that is repeated before it is carried out is the same forgetting', async () => {
    await talk('repeated')
    const replies = [await post('acme', 'repeated', request), await post('acme', 'repeated', request)]
    const [first, second] = replies.map(({ body }) => body.id)
    assert.equal(first, second)
    assert.deepEqual((await readForgettings('acme/repeated', host)).length, 1)
    await certified('repeated', first ?? null)
  })

  test('a request during another one of the space is carried out after it', async () => {
    await talk('both')
    const first = await post('acme', 'both', request)
    const second = await post('acme', 'both', { ...request, speaker: 'Maya' })
    assert.deepEqual([first.status, second.status], [202, 202])
    const certificates = [await certified('both', first.body.id), await certified('both', second.body.id)]
    assert.deepEqual(
      certificates.map(({ ids, kept }) => [ids.length, kept]),
      [
        [1, 1],
        [1, 0],
      ],
    )
    await eventually(async () => assert.deepEqual(await speakersIn('both'), []), patienceMs)
  })

  test('a key without the scope, of another tenant, of another space or of another author is refused', async () => {
    await talk('guarded')
    const refused = async (key: KeyName | null, space: string, why: RegExp, status = 403) => {
      for (const preview of [true, false]) {
        const reply = await post(key, space, { ...request, preview })
        assert.equal(reply.status, status, `${key} ${reply.body.detail}`)
        assert.match(reply.body.detail ?? '', why)
      }
    }
    await refused('reader', 'guarded', /needs the scope forget, and .* has append, recall, correct/)
    await refused('narrow', 'guarded', /space/)
    await refused('maya', 'guarded', /Ines/)
    await refused(null, 'guarded', /key/, 401)
    const { body } = await post('acme', 'guarded', { ...request, preview: true })
    assert.equal(body.utterances, 1, 'it is there')
    const elsewhere = await post('other', 'guarded', request)
    assert.deepEqual([elsewhere.status, elsewhere.body.id, elsewhere.body.utterances], [200, null, 0])
    assert.deepEqual(await readForgettings('acme/guarded', host), [])
  })

  test('a forgetting is shown to no key without the scope, of another tenant or of another space', async () => {
    await talk('shown')
    const { body } = await post('acme', 'shown', request)
    const id = String(body.id)
    assert.equal((await get('acme', 'shown', id)).status, 200)
    for (const [key, space, status, why] of [
      ['reader', 'shown', 403, /scope forget/],
      ['narrow', 'shown', 403, /space/],
      ['other', 'shown', 404, /no forgetting .* in other\/shown/],
      ['acme', 'garden', 404, /no forgetting .* in acme\/garden/],
    ] as const) {
      const reply = await get(key, space, id)
      assert.equal(reply.status, status, key)
      assert.match(reply.body.detail ?? '', why)
    }
    const unknown = await get('acme', 'shown', unknownId)
    assert.equal(unknown.status, 404)
    assert.match(unknown.body.detail ?? '', new RegExp(`no forgetting ${unknownId} in acme/shown`))
    await certified('shown', id)
  })

  test('a wrong request names its field, and forgets nothing', async () => {
    await talk('wrong')
    for (const [wrong, why] of [
      [{ preview: undefined }, /preview/],
      [{ preview: 'no' }, /preview/],
      [{ by: undefined }, /by/],
      [{ by: '' }, /by/],
      [{ speaker: undefined }, /selection .*expected utterances, a speaker/],
      [{ speaker: 7 }, /speaker/],
      [{ speaker: ' ' }, /speaker/],
      [{ utterances: [] }, /utterances/],
      [{ utterances: ['a', 7] }, /utterances/],
      [{ from: '2026-02-30' }, /from/],
      [{ from: '2026-03-03', to: '2026-03-02' }, /to .*a time after/],
      [{ everything: true }, /everything .*no other criterion/],
      [{ speeker: 'Maya' }, /speeker/],
    ] as const) {
      const { status, body } = await post('acme', 'wrong', { ...request, ...wrong })
      assert.equal(status, 400, JSON.stringify(wrong))
      assert.match(JSON.stringify(body), why)
    }
    assert.equal((await post('acme', 'a%2Fb', request)).status, 400)
    assert.deepEqual(await readForgettings('acme/wrong', host), [])
  })

  test('the client requests a forgetting and reads its certificate', async () => {
    await talk('client')
    const space = connect({ url, key: keys.get('acme') ?? '' }).space('client')
    const preview = await space.forget({ speaker: 'Mallory', by: 'Ines', preview: true })
    assert.deepEqual([preview.id, preview.utterances], [null, 1])
    const { id } = await space.forget({ speaker: 'Mallory', by: 'Ines', preview: false })
    const isCertified = async () => assert.equal((await space.forgetting(String(id))).status, 'certified')
    await eventually(isCertified, patienceMs)
    await assert.rejects(space.forgetting(unknownId), { code: 'not-found' })
    await assert.rejects(space.forget({ by: 'Ines', preview: false }), { code: 'input-invalid' })
  })
})
