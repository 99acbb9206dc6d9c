/** `loomlog recall --url`, with a fake server: a view that is rebuilt is hard to catch on a real one. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { assertSucceeded, commandFixture } from './fixture.ts'

test('recall from a server says which view is being rebuilt', async (t) => {
  const rebuilding = [{ topic: 'facts', partition: 1, reached: 7, end: 9_000 }]
  const reply = { space: 'default', query: 'boat', memories: [], text: '', generation: 'g', epoch: 1, rebuilding }
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = await commandFixture()
  t.after(async () => {
    server.close()
    await place.remove()
  })
  const run = await place.run('recall', 'boat', '--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  assertSucceeded(run)
  assert.match(run.stderr, /the view of facts\/1 is being rebuilt \(7 of 9,000 records\)/)
})
