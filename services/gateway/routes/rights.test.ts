import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyAuthor, type Caller, openAccess } from '@loomlog/access/caller'
import { LoomlogError } from '@loomlog/errors'
import { temporaryGateway } from '../fixture.ts'

const callers: Readonly<Record<string, Caller>> = {
  reader: {
    name: 'key:k1',
    tenant: 'acme',
    scopes: new Set(['recall'] as const),
    spaces: new Set(['home']),
    authors: { speakers: new Set(['ada']), roles: null },
    credential: { kind: 'key', id: 'k1' },
  },
  operator: {
    name: 'key:k2',
    tenant: null,
    scopes: new Set(['administer'] as const),
    spaces: null,
    authors: anyAuthor,
    credential: { kind: 'key', id: 'k2' },
  },
}

test('a key with any scope learns its own scopes, tenant and spaces', async (t) => {
  const access = {
    ...openAccess,
    isOpen: false,
    async authenticate(authorization = '') {
      const caller = callers[authorization]
      if (caller === undefined) throw new LoomlogError('unauthenticated', 'there is no key')
      return caller
    },
  }
  const { app } = await temporaryGateway(t, { access })
  const rightsOf = async (authorization: string) =>
    (await app.inject({ url: '/v1/access', headers: { authorization } })).json()
  assert.deepEqual(await rightsOf('reader'), {
    name: 'key:k1',
    tenant: 'acme',
    scopes: ['recall'],
    spaces: ['home'],
    speakers: ['ada'],
    roles: null,
  })
  const operator = { name: 'key:k2', tenant: null, scopes: ['administer'], spaces: null, speakers: null, roles: null }
  assert.deepEqual(await rightsOf('operator'), operator)
  assert.equal((await app.inject('/v1/access')).statusCode, 401)
})

test('on a server without keys everyone has every right', async (t) => {
  const { app } = await temporaryGateway(t)
  const { name, tenant, scopes, spaces } = (await app.inject('/v1/access')).json()
  assert.deepEqual([name, tenant, spaces], ['local', null, null])
  assert.deepEqual(scopes, ['append', 'instruct', 'recall', 'subscribe', 'correct', 'forget', 'administer'])
})
