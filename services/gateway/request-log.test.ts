/** The log lines of requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { temporaryGateway } from './fixture.ts'

test('the log has the path of every request, and no question, key or other part of a query string', async (t) => {
  const lines: string[] = []
  const { app } = await temporaryGateway(t, {
    logger: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
  })
  const query = 'query=Where%20does%20Maya%20live&key=lk_secret&since=lisbon'
  for (const path of ['/v1/spaces/home/recall', '/v1/status', '/nowhere', '/v1/spaces/home/%ZZ'])
    await app.inject(`${path}?${query}`)
  await app.inject({ method: 'POST', url: `/v1/spaces/home/recall?${query}`, payload: 'no JSON' })
  const text = lines.join('')
  for (const path of ['/v1/spaces/home/recall', '/v1/status', '/nowhere'])
    assert.ok(text.includes(`"path":"${path}"`), text)
  for (const secret of ['Maya', 'lk_secret', 'lisbon', 'query=']) assert.ok(!text.includes(secret), text)
})
