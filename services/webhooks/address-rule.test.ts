/** The addresses that a webhook may reach. The rule checks the address of the connection, not the name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { AddressRule } from '@loomlog/feed/address-rule'
import { webhookRequestFrom } from '@loomlog/feed/webhook-request'
import { DeliveryRequests } from './delivery-request.ts'
import { receiver } from './fixture.ts'
import { defaultWebhookLimits as limits } from './webhook-limits.ts'

const own = [
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
  ...['169.254.169.254', '192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '64:ff9b::7f00:1', '100::1', '2001:db8::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '2002:7f00:1::', '2001::1', '3fff::1'],
]
const public_ = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.167.1.1', '2606:4700:4700::1111', '2a00:1450::1']

test('addresses that are not public are refused unless their network is allowed', () => {
  const rule = new AddressRule([])
  for (const address of own) assert.equal(rule.permits(address, 'https:'), false, address)
  for (const address of public_) {
    assert.equal(rule.permits(address, 'https:'), true, address)
    assert.equal(rule.permits(address, 'http:'), false, `${address} without TLS`)
  }
  const inside = new AddressRule(['10.1.0.0/16', 'fd00::/8'])
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'])
    for (const protocol of ['http:', 'https:'] as const) assert.ok(inside.permits(address, protocol), address)
  for (const address of ['10.2.0.1', '127.0.0.1', 'fc00::1', 'localhost', ''])
    assert.ok(!inside.permits(address, 'https:'))
})

const metadata = [
  ...['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
  ...['::ffff:169.254.169.254', '::ffff:168.63.129.16', '[fd00:ec2::254]', 'metadata.google.internal'],
]

test("a cloud's metadata service is refused, also where its network is allowed", () => {
  const everything = new AddressRule(['0.0.0.0/0', '::/0'])
  for (const rule of [new AddressRule([]), everything])
    for (const host of [...metadata, 'METADATA.google.internal.']) assert.ok(!rule.permitsHost(host, 'https:'), host)
  assert.ok(everything.permitsHost('169.254.1.1', 'https:'), 'another link-local address is allowed by its network')
})

test('localhost is this machine by name, without a look-up', () => {
  const names = ['localhost', 'LOCALHOST.', 'api.localhost']
  for (const name of names) {
    assert.ok(!new AddressRule([]).permitsHost(name, 'https:'), name)
    assert.ok(new AddressRule(['127.0.0.0/8']).permitsHost(name, 'http:'), name)
  }
  assert.ok(new AddressRule([]).permitsHost('localhost.example.org', 'https:'), 'a name of its own')
})

function post(requests: DeliveryRequests, url: string) {
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  return requests.post({ url, secret, id: 'e', body: '{}', at: 0 }, new AbortController().signal)
}

test('a webhook to this machine, a link-local address or a metadata service is refused when it is made', () => {
  const hosts = [
    'localhost',
    'localhost.',
    'api.localhost',
    '169.254.7.7',
    '[fe80::1]',
    '168.63.129.16',
    '0.0.0.0',
    '[::]',
  ]
  for (const host of [...hosts, '[::ffff:127.0.0.1]', '100.64.0.1', 'metadata.google.internal'])
    assert.throws(
      () => webhookRequestFrom({ url: `https://${host}/hook` }, new AddressRule([])),
      (error) => isLoomlogError(error, 'input-invalid') && /url.*https to a public address/.test(error.message),
      host,
    )
})

test('an address in any notation is refused, without a connection', async (t) => {
  const target = await receiver(t)
  const { port } = new URL(target.url)
  const requests = new DeliveryRequests({ rule: new AddressRule([]), limits })
  t.after(() => requests.close())
  for (const host of [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0',
    'localhost',
    '168.63.129.16',
    'metadata.google.internal',
  ]) {
    const outcome = await post(requests, `http://${host}:${port}/`)
    assert.ok(
      outcome.kind === 'failed' && /no public address/.test(outcome.reason),
      `${host}: ${JSON.stringify(outcome)}`,
    )
  }
  assert.equal(target.received.length, 0)
})

test('a name that resolves to another address at each look-up never leads to a refused one', async (t) => {
  const target = await receiver(t)
  const { port } = new URL(target.url)
  const answers = [['127.0.0.2'], ['10.0.0.1'], ['127.0.0.2', '10.0.0.1', '169.254.169.254']]
  const lookups: string[] = []
  const requests = new DeliveryRequests({
    rule: new AddressRule(['127.0.0.1/32']),
    limits: { ...limits, idleSockets: 0 },
    resolve(name, done) {
      lookups.push(name)
      done(
        null,
        (answers.shift() ?? ['10.0.0.1', '127.0.0.1']).map((address) => ({ address, family: 4 })),
      )
    },
  })
  t.after(() => requests.close())
  for (let n = 0; n < 3; n++) assert.equal((await post(requests, `http://rebinding.test:${port}/`)).kind, 'failed')
  assert.equal(target.received.length, 0)
  assert.equal((await post(requests, `http://rebinding.test:${port}/`)).kind, 'accepted', 'the permitted one is used')
  assert.equal(lookups.length, 4)
})
