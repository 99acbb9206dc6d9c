/** Deleting groups, with a fake admin client whose requests fail. */
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import kafkajs from 'kafkajs'
import { KafkaGroups } from './groups.ts'
import { KafkaNames } from './names.ts'
import type { RetriedAdmin } from './retrying-admin.ts'
import type { KafkaTopics } from './topics.ts'

const names = new KafkaNames('test')
const ids = ['one', 'two'].map((topic) => names.group('g', topic))

function groupsWhose(error: Error) {
  const deleted: string[] = []
  const admin = {
    listGroups: async () => ({ groups: ids.map((groupId) => ({ groupId, protocolType: 'consumer' })) }),
    deleteGroups: () => Promise.reject(error),
  } as unknown as RetriedAdmin
  const topics = {
    changelogs: async () => [names.changelog('g', 'one'), names.changelog('g', 'two')],
    delete: async (changelogs: readonly string[]) => void deleted.push(...changelogs),
  } as unknown as KafkaTopics
  return { groups: new KafkaGroups(admin, names, topics, tmpdir()), deleted }
}

function refusedWith(...types: readonly string[]): Error {
  const failed = types.map((type, at) => {
    const error = Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type })
    return { groupId: ids[at] ?? '', errorCode: 1, error: error as kafkajs.KafkaJSProtocolError }
  })
  return new kafkajs.KafkaJSDeleteGroupsError('Error in DeleteGroups', failed)
}

test('a group that has members keeps its changelogs, also if another of its ids is gone', async () => {
  const { groups, deleted } = groupsWhose(refusedWith('GROUP_ID_NOT_FOUND', 'NON_EMPTY_GROUP'))
  await assert.rejects(groups.delete({ group: 'g' }), (error) => isLoomlogError(error, 'group-in-use'))
  assert.deepEqual(deleted, [])
})

test('groups that are gone lose their changelogs', async () => {
  const { groups, deleted } = groupsWhose(refusedWith('GROUP_ID_NOT_FOUND', 'GROUP_ID_NOT_FOUND'))
  await groups.delete({ group: 'g' })
  assert.equal(deleted.length, 2)
})

test('the groups of a deleted topic lose their changelogs although they have members', async () => {
  const { groups, deleted } = groupsWhose(refusedWith('NON_EMPTY_GROUP'))
  await groups.delete({ topic: 'one' })
  assert.deepEqual(deleted, [names.changelog('g', 'one')])
})

test('an unreachable broker is reported, and nothing is deleted, by group and by topic', async () => {
  const unreachable = new kafkajs.KafkaJSConnectionError('connection refused')
  for (const error of [unreachable, refusedWith('GROUP_ID_NOT_FOUND', 'COORDINATOR_NOT_AVAILABLE')]) {
    for (const which of [{ group: 'g' }, { topic: 'one' }]) {
      const { groups, deleted } = groupsWhose(error)
      await assert.rejects(groups.delete(which), (thrown) => isLoomlogError(thrown, 'log-unavailable'))
      assert.deepEqual(deleted, [])
    }
  }
})
