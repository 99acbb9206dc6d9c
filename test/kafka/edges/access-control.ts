/**
 * ACLs of a real broker: a denied operation is named with its resource and principal, is no outage, and passes once it
 * is granted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Lease, Log } from '@loomlog/log/port'
import kafkajs from 'kafkajs'
import type { EdgeCluster } from './edge-cluster.ts'

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs

const record = { key: 't/s', value: Buffer.from('x'), timestamp: 0 }

export function testAccessControl(place: () => EdgeCluster): void {
  test('a denied write names operation, topic and principal, is no outage, and passes once it is granted', async (t) => {
    const { openLog, named, secured } = place()
    const principal = `User:${secured.users.scram.username}`
    const log = await openLog()
    t.after(() => log.close())
    for (const name of ['denied', 'open']) await log.createTopic({ name, partitions: 1, retentionMs: null })
    const acl = denial(place(), named('denied'), principal)
    await acl.deny()
    t.after(acl.grant)
    const refused = await refusalOf(log.append('denied', [record]))
    assert.equal(refused.code, 'log-unauthorized')
    assert.match(refused.message, new RegExp(`WRITE on topic ${named('denied')} to the principal ${principal}`))
    await log.append('open', [record])
    const inLease = await refusalInLease(log)
    assert.match(inLease.message, new RegExp(`WRITE on topic .*${named('denied')}.* to the principal ${principal}`))
    await acl.grant()
    for (const deadline = Date.now() + 30_000; ; await sleep(100)) {
      if (await log.append('denied', [record]).then(Boolean, () => false)) break
      assert.ok(Date.now() < deadline, 'the append is still refused 30 s after the ACL was removed')
    }
  })
}

/** The failure of a commit that writes to the denied topic. */
async function refusalInLease(log: Log): Promise<LoomlogError> {
  const refused = Promise.withResolvers<LoomlogError>()
  const write = async (lease: Lease) => {
    const outputs = [{ topic: 'denied', record }]
    await lease.commit({ outputs, state: [], position: lease.position }).catch((error: LoomlogError) => {
      refused.resolve(error.code === 'fenced' ? (error.cause as LoomlogError) : error)
    })
  }
  const member = await log.join({ group: 'acl', topic: 'open', onLease: write, onError: refused.reject })
  return refused.promise.finally(() => member.close())
}

async function refusalOf(work: Promise<unknown>): Promise<LoomlogError> {
  const error = await work.then(
    () => assert.fail('the write was accepted'),
    (reason: unknown) => reason,
  )
  assert.ok(isLoomlogError(error), String(error))
  return error
}

/**
 * An ACL that denies the principal to write to a topic, and allows all else. Brokers apply a change within a second.
 */
function denial({ plain }: EdgeCluster, topic: string, principal: string) {
  const of = {
    resourceType: AclResourceTypes.TOPIC,
    resourceName: topic,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal,
    host: '*',
  }
  const { ALL, WRITE } = AclOperationTypes
  const acls = [
    { ...of, operation: ALL, permissionType: AclPermissionTypes.ALLOW },
    { ...of, operation: WRITE, permissionType: AclPermissionTypes.DENY },
  ]
  const withAdmin = async (work: (admin: ReturnType<typeof plain.admin>) => Promise<unknown>) => {
    const admin = plain.admin()
    await admin.connect()
    await work(admin).finally(() => admin.disconnect())
  }
  return {
    deny: () => withAdmin((admin) => admin.createAcls({ acl: acls })),
    grant: () => withAdmin((admin) => admin.deleteAcls({ filters: acls })),
  }
}
