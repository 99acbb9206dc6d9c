import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RetriedAdmin, retryingAdmin } from './retrying-admin.ts'

const never = () => assert.fail('not asked for')

/** Fails with these errors in turn, and then lists no groups. */
function failing(...names: readonly string[]) {
  const left = names.map((name) => Object.assign(new Error(name), { name }))
  let asked = 0
  const admin: RetriedAdmin = {
    async listGroups() {
      asked += 1
      const error = left.shift()
      if (error) throw error
      return { groups: [] }
    },
    createTopics: never,
    describeConfigs: never,
    alterConfigs: never,
    describeGroups: never,
    fetchOffsets: never,
    deleteGroups: never,
  }
  return { admin, asked: () => asked }
}

const patience = { withinMs: 60_000, everyMs: 1, isClosing: () => false }

test('an unreachable node is retried, until another answers', async () => {
  const { admin, asked } = failing('KafkaJSConnectionError', 'KafkaJSConnectionClosedError')
  assert.deepEqual(await retryingAdmin(admin, patience).listGroups(), { groups: [] })
  assert.equal(asked(), 3)
})

test('an error that every node would return is thrown at once', async () => {
  const { admin, asked } = failing('KafkaJSProtocolError')
  await assert.rejects(retryingAdmin(admin, patience).listGroups(), /KafkaJSProtocolError/)
  assert.equal(asked(), 1)
})

test('retries end at their limit, and once the log closes', async () => {
  const endless = Array.from({ length: 9 }, () => 'KafkaJSConnectionError')
  for (const ending of [{ withinMs: -1 }, { isClosing: () => true }]) {
    const { admin, asked } = failing(...endless)
    await assert.rejects(retryingAdmin(admin, { ...patience, ...ending }).listGroups(), /KafkaJSConnectionError/)
    assert.equal(asked(), 1)
  }
})
