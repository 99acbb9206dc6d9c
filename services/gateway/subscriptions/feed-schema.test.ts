/** The events of the feed in the OpenAPI document, against arbitrary events of every record over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arbitraryEvent, seededInt } from '@loomlog/schemas/arbitrary'
import { cloudEventOf } from '@loomlog/schemas/cloud-events'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { records } from '@loomlog/schemas/records'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { testSeed } from '../../../test/seeded-random.ts'
import { temporaryGateway } from '../fixture.ts'

const published = records.filter(({ kind }) => kind === 'published')

/** @param each the number of events of a record */
function eventsOf(seed: number, each: number): readonly PublishedEvent[] {
  const chance = seededInt(seed)
  return published.flatMap((record) =>
    Array.from({ length: each }, (_, n) => {
      const event = arbitraryEvent(record, chance) as PublishedEvent
      return { ...event, id: `${record.name} ${n}`, tenant: 'acme', space: 'home', at: n }
    }),
  )
}

test('no two records of the feed share a type', () => {
  const recordsByType = new Map<string, string>()
  for (const event of eventsOf(1, 50)) {
    const { type } = cloudEventOf(event)
    assert.equal(recordsByType.get(type) ?? event.type, event.type, type)
    recordsByType.set(type, event.type)
  }
  assert.equal(new Set(recordsByType.values()).size, published.length)
})

test('each event of the feed fits the schema of its record in OpenAPI, and of no other', async (t) => {
  const seed = testSeed()
  t.diagnostic(`LOOMLOG_SEED=${seed}`)
  const { app, log, codec } = await temporaryGateway(t)
  const events = eventsOf(seed, 20)
  const written = events.map((event) => ({ key: 'acme/home', value: codec.encode(event), timestamp: 0 }))
  await log.append('memory-events', written)
  const document = (await app.inject('/openapi.json')).json()
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })
  const validatorOf = (schema: object) => ajv.compile({ ...schema, components: document.components })
  const replies = validatorOf(
    document.paths['/v1/spaces/{space}/feed'].get.responses[200].content['application/json'].schema,
  )
  const names = published.map(({ name }) => name)
  const validators = names.map((name) => [name, validatorOf({ $ref: `#/components/schemas/${name}` })] as const)
  const { mapping } = document.components.schemas.FeedEvent.discriminator
  for (let offset = '-1', read = 0; read < events.length; ) {
    const reply = await app.inject({
      url: `/v1/spaces/home/feed?offset=${offset}`,
      headers: { 'x-loomlog-tenant': 'acme' },
    })
    assert.ok(replies(reply.json()), ajv.errorsText(replies.errors))
    for (const message of reply.json()) {
      const fitting = validators.filter(([, fits]) => fits(message)).map(([name]) => name)
      const record = events[read]?.type
      assert.deepEqual([fitting, mapping[message.type]], [[record], `#/components/schemas/${record}`], message.type)
      assert.ok(!replies([{ ...message, data: {} }]), `${message.type} without data fits`)
      read += 1
    }
    offset = String(reply.headers['stream-next-offset'])
  }
})
