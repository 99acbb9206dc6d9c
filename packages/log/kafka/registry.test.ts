/** The client of the schema registry, against a small server of the test. The contract suite uses a real registry. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { schemaRegistry } from './registry.ts'

const text =
  '{"type":"record","name":"Said","namespace":"x","fields":[{"name":"a","type":"string","confluent:tags":["PII"]}]}'

interface Answer {
  readonly status: number
  readonly body: object
}

/** A server that answers by method and path, and records the requests. */
async function registryThat(t: TestContext, answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim())
    const { status, body } = answers[`${request.method} ${request.url}`] ?? {
      status: 404,
      body: { message: 'nothing' },
    }
    response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v7` }
}

const level = { status: 200, body: { compatibilityLevel: 'FULL_TRANSITIVE' } }
const willing = {
  'PUT /v7/config/x.Said': { status: 200, body: { compatibility: 'FULL_TRANSITIVE' } },
  'GET /v7/config/x.Said': level,
  'POST /v7/subjects/x.Said/versions': { status: 200, body: { id: 7 } },
  'GET /v7/schemas/ids/7': { status: 200, body: { schema: text } },
}

test('the level of compatibility is set and checked before the first version is registered', async (t) => {
  const { url, asked } = await registryThat(t, willing)
  const auth = { username: 'u', password: 'p' }
  assert.equal(await schemaRegistry({ url, auth }).register('x.Said', text, 'FULL_TRANSITIVE'), 7)
  const basic = `Basic ${Buffer.from('u:p').toString('base64')}`
  assert.deepEqual(
    asked,
    Object.keys(willing)
      .slice(0, 3)
      .map((request) => `${request} ${basic}`),
  )
})

test('if another process registers the same subject at the same moment, its version is found', async (t) => {
  const registering = 'POST /v7/subjects/x.Said/versions'
  const { url, asked } = await registryThat(t, {
    ...willing,
    get [registering]() {
      const isFirst = asked.filter((request) => request === registering).length === 1
      const message = "An artifact with ID 'x.Said' in group 'null' already exists."
      return isFirst ? { status: 409, body: { message } } : willing[registering]
    },
  })
  assert.equal(await schemaRegistry({ url }).register('x.Said', text, 'FULL_TRANSITIVE'), 7)
})

test('a schema is read back whole, with the attributes that are not Avro’s, and requested once', async (t) => {
  const { url, asked } = await registryThat(t, willing)
  const schemas = schemaRegistry({ url })
  assert.equal(await schemas.schema(7), text)
  assert.equal(await schemas.schema(7), text)
  assert.equal(asked.length, 1)
})

test('a schema that the registry refuses, or whose subject keeps another level, is refused', async (t) => {
  const refusals = {
    incompatible: { 'POST /v7/subjects/x.Said/versions': { status: 409, body: { message: 'incompatible' } } },
    invalid: { 'POST /v7/subjects/x.Said/versions': { status: 422, body: { message: 'no Avro' } } },
    level: { 'GET /v7/config/x.Said': { status: 200, body: { compatibilityLevel: 'NONE' } } },
  }
  for (const [name, answers] of Object.entries(refusals)) {
    const { url } = await registryThat(t, { ...willing, ...answers } as Record<string, Answer>)
    await assert.rejects(
      schemaRegistry({ url }).register('x.Said', text, 'FULL_TRANSITIVE'),
      (error) => isLoomlogError(error, 'schema-refused') && error.message.includes('x.Said'),
      name,
    )
  }
})

test('a registry that is down or fails is a retryable error; wrong credentials are not', async (t) => {
  const failing = await registryThat(t, { 'PUT /v7/config/x.Said': { status: 500, body: { message: 'broken' } } })
  const strict = await registryThat(t, { 'PUT /v7/config/x.Said': { status: 401, body: { message: 'who?' } } })
  const register = (url: string) => schemaRegistry({ url }).register('x.Said', text, 'FULL_TRANSITIVE')
  for (const url of [failing.url, 'http://127.0.0.1:1']) {
    await assert.rejects(register(url), (error) => isLoomlogError(error, 'log-unavailable') && error.retryable)
  }
  await assert.rejects(schemaRegistry({ url: 'http://127.0.0.1:1' }).schema(7), (error) =>
    isLoomlogError(error, 'log-unavailable'),
  )
  await assert.rejects(register(strict.url), (error) => isLoomlogError(error, 'config-invalid'))
})
