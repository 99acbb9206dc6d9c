import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryGateway } from './fixture.ts'
import { SpaceDirectory } from './space-directory.ts'

test('a caller that leaves stops waiting for the sizes, and the reading continues for the others', async (t) => {
  const { log } = await temporaryGateway(t)
  await log.append('utterances', [{ key: 'acme/home', value: Buffer.from('0123'), timestamp: 7 }])
  const held = Promise.withResolvers<void>()
  const directory = new SpaceDirectory({
    endOffsets: (topic) => log.endOffsets(topic),
    async *read(options) {
      await held.promise
      yield* log.read(options)
    },
  })
  const leaving = new AbortController()
  const left = directory.of('acme', leaving.signal)
  const others = [
    directory.of('acme', new AbortController().signal),
    directory.of('acme', new AbortController().signal),
  ]
  leaving.abort(new Error('the caller left'))
  await assert.rejects(left, /the caller left/)
  held.resolve()
  for (const other of others)
    assert.deepEqual(await other, [{ space: 'home', records: 1, bytes: 4, firstAt: 7, lastAt: 7 }])
})
