/**
 * A running pipeline with undecodable bytes and a registry that goes away. The bytes are parked whole, the pipeline
 * waits for the registry, and the partition continues in both cases.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { eventually } from '../../eventually.ts'
import type { EdgeCluster } from './edge-cluster.ts'

interface Parked {
  readonly code: string
  readonly reason: string
  readonly offset: number
}

export function testFlow(place: () => EdgeCluster): void {
  let up: ReturnType<EdgeCluster['start']>

  test('a service waits for a registry that is away at the start, works once it is back, and stops in time', async () => {
    const { registry, start } = place()
    registry.is = 'away'
    const service = start('topic-loom', [])
    await eventually(() => assert.match(service.output(), /registry at https.* gives no answer/))
    registry.is = 'there'
    up = start('cli', ['up', '--port', '0', '--json'])
    await eventually(() => assert.match(service.output(), /derives topic-loom: generation \w+ is live/))
    // Both may be joining the same groups at this moment.
    const stoppedAt = performance.now()
    service.process.kill('SIGTERM')
    assert.equal((await service.finished).code, 0, service.output())
    assert.ok(performance.now() - stoppedAt < 10_000)
  })

  test('a registry that refuses a schema ends a service with the registry’s message', async () => {
    const { registry, start } = place()
    registry.is = 'refusing'
    const { code, stdout } = await start('topic-loom', []).finished
    registry.is = 'there'
    assert.equal(code, 1)
    assert.match(stdout, /schema-refused/)
    assert.match(stdout, /registering the schema of loomlog\.\w+: refused: .*not compatible with what is here/)
  })

  test('garbage is parked whole and skipped, and a partition waits for a registry that goes away', async () => {
    const { registry, openLog, named, plain } = place()
    await eventually(() => assert.match(up.output(), /"url"/))
    const url = /"url": ?"(.*?)"/.exec(up.output())?.[1] ?? ''
    const log = await openLog()

    const key = 'default/default'
    const garbage = [Buffer.from('no Avro at all'), Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]), Buffer.from([0])]
    await log.append(
      'utterances',
      garbage.map((value) => ({ key, value, timestamp: Date.now() })),
    )
    const producer = plain.producer()
    await producer.connect()
    await producer.send({ topic: named('utterances'), messages: [{ key, value: null }] })
    await producer.disconnect()
    assert.equal(await appendLine(url, 1), 201)
    await eventually(async () => assert.equal(await laggards(url), 0))
    const found = await parkedInputs(place())
    assert.deepEqual(
      found.map(({ code }) => code),
      Array(4).fill('undecodable'),
    )
    assert.match(found[1]?.reason ?? '', /there is no schema with id 2147483647/)

    registry.is = 'away'
    await log.append('utterances', [{ key, value: await ofAnotherSchema(place()), timestamp: Date.now() }])
    assert.equal(await appendLine(url, 2), 503, 'the id of an earlier record can’t be looked up')
    await eventually(() => assert.match(up.output(), /looking up schema \d+: the schema registry .* gives no answer/))
    assert.ok((await laggards(url)) > 0)
    registry.is = 'there'
    await eventually(async () => assert.equal(await appendLine(url, 2), 201))
    await eventually(async () => assert.equal(await laggards(url), 0))
    assert.match((await parkedInputs(place()))[4]?.reason ?? '', /elsewhere.Stray, which loomlog does not know/)
    assert.match(await (await fetch(`${url}/v1/spaces/default/recall?query=Lisbon`)).text(), /"m2"/)
    up.process.kill('SIGTERM')
    await up.finished
    await log.close()
  })

  test('an error names a record that is too large, for loomlog or for a broker with a lower limit', async () => {
    const { openLog, plain, named } = place()
    const log = await openLog()
    const large = (bytes: number) => [{ key: 'default/default', value: new Uint8Array(bytes), timestamp: 0 }]
    const refused = (says: RegExp) => (error: unknown) =>
      isLoomlogError(error, 'record-too-large') && says.test(error.message)
    await log.createTopic({ name: 'small', partitions: 1, retentionMs: null })
    await assert.rejects(log.append('small', large(1_000_001)), refused(/1000001 bytes; the limit is 1000000/))
    assert.equal((await log.append('small', large(1_000_000))).length, 1)
    const admin = plain.admin()
    await admin.connect()
    const configEntries = [{ name: 'max.message.bytes', value: '5000' }]
    await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: named('small'), configEntries }] })
    await admin.disconnect()
    await eventually(() => assert.rejects(log.append('small', large(6_000)), refused(/larger than|too large/i)))
    assert.equal((await log.append('small', large(1_000))).length, 1, 'the log continues')

    // A commit reports the same error: the next owner of the partition would fail like this one.
    const outcome = Promise.withResolvers<unknown>()
    const outputs = large(6_000).map((record) => ({ topic: 'small', record }))
    const membership = await log.join({
      group: 'copier',
      topic: 'small',
      sessionMs: 1_000,
      onLease: (lease) => lease.commit({ outputs, state: [], position: 1 }),
      onError: outcome.resolve,
    })
    assert.ok(refused(/committing to partition 0 of small: .*(larger than|too large)/i)(await outcome.promise))
    await membership.close()
    await log.close()
  })
}

async function parkedInputs({ run }: EdgeCluster): Promise<readonly Parked[]> {
  const { code, stdout, stderr } = await run(['parked', 'list', '--json'])
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as Parked[]).toSorted((a, b) => a.offset - b.offset)
}

function lineOf(number: number): string {
  return JSON.stringify({
    id: `m${number}`,
    conversation: 'c',
    speaker: 'Maya',
    at: '2026-03-02T09:00:00Z',
    text: `Number ${number}: I live in Lisbon.`,
  })
}

async function appendLine(url: string, number: number): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${url}/v1/spaces/default/utterances`, { method: 'POST', headers, body: lineOf(number) })).status
}

/** The number of stages and views that are behind. While the registry is away it is unknown, and all count. */
async function laggards(url: string): Promise<number> {
  type Part = { readonly lag: number }
  const reply = await fetch(`${url}/v1/status`)
  if (reply.status === 503) return Number.POSITIVE_INFINITY
  const { stages, views } = (await reply.json()) as { stages: Part[]; views: Part[] }
  return [...stages, ...views].filter(({ lag }) => lag > 0).length
}

/** A record of another application, with a schema that the registry has and no process of loomlog has read. */
async function ofAnotherSchema({ openLog, kafka }: EdgeCluster): Promise<Uint8Array> {
  const other = await openLog({ registry: { url: kafka.registryUrl } })
  const schema = JSON.stringify({ type: 'record', name: 'Stray', namespace: 'elsewhere', fields: [] })
  const id = await other.schemas.register('elsewhere.Stray', schema, 'FULL_TRANSITIVE')
  await other.close()
  const value = Buffer.alloc(5)
  value.writeInt32BE(id, 1)
  return value
}
