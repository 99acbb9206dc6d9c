/** Topics that an operator changed: differences are reported, repaired if possible, and refused otherwise. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TopicDrift } from '@loomlog/log/port'
import type { Admin } from 'kafkajs'
import { assertRefused, assertSucceeded } from '../../cli/fixture.ts'
import type { EdgeCluster } from './edge-cluster.ts'

interface Finding {
  readonly topic: string
  readonly state: string
  readonly differences: readonly Omit<TopicDrift, 'topic'>[]
}

const topicResource = 2

export function testTopics(place: () => EdgeCluster): void {
  test('compaction, retention and the settings of changelogs are compared and repaired; other settings stay', async () => {
    const { named, plain, run } = place()
    const admin = plain.admin()
    await admin.connect()
    const changelog =
      (await admin.listTopics()).find((name) => name.startsWith(named('')) && /topic-loom.*_changelog$/.test(name)) ??
      ''
    const spoiled = { 'cleanup.policy': 'compact', 'retention.ms': '60000', 'segment.bytes': '50000000' }
    await set(admin, named('utterances'), spoiled)
    await set(admin, changelog, { 'cleanup.policy': 'delete' })
    const before = await plan()
    const reset = 'message.timestamp.after.max.ms: 3600000'
    assert.deepEqual(differences(before, 'utterances'), ['cleanup.policy: compact', reset, 'retention.ms: 60000'])
    assert.deepEqual(differences(before, changelog), ['cleanup.policy: delete', 'delete.retention.ms: 86400000'])
    assertSucceeded(await run(['topics', 'apply']))
    const after = await plan()
    assert.deepEqual(
      after.filter(({ state }) => state !== 'right'),
      [],
    )
    const { resources } = await admin.describeConfigs({
      resources: [{ type: topicResource, name: named('utterances'), configNames: ['segment.bytes'] }],
      includeSynonyms: false,
    })
    assert.equal(resources[0]?.configEntries[0]?.configValue, '50000000')
    await admin.disconnect()
  })

  test('a number of copies other than the configured one is reported, with the tool that changes it', async () => {
    const { run } = place()
    const wanted = { LOOMLOG_KAFKA_REPLICATION: '3', LOOMLOG_KAFKA_MIN_INSYNC: '2' }
    assert.ok(differences(await plan(wanted), 'utterances').includes('replication: 1'))
    assert.ok(differences(await plan(wanted), 'utterances').includes('min.insync.replicas: 1'))
    const applied = await run(['topics', 'plan'], wanted)
    assert.match(applied.stdout, /utterances +replication +1 +3/)
  })

  test('every command refuses another number of partitions, names the topic, and says what to do', async () => {
    const { named, plain, run, start } = place()
    const admin = plain.admin()
    await admin.connect()
    await admin.createPartitions({ topicPartitions: [{ topic: named('completions'), count: 2 }] })
    await admin.disconnect()
    assertRefused(await run(['topics', 'apply']), 2, /completions has 2, not 1.*loomlog log copy/)
    const says = /topic completions has 2 partitions, not 1.*as many partitions as utterances.*loomlog topics plan/
    assertRefused(await run(['status']), 2, says)
    const service = start('topic-loom', [])
    assert.equal((await service.finished).code, 1)
    assert.match(service.output(), says)
  })

  async function plan(changed = {}): Promise<readonly Finding[]> {
    const { code, stdout, stderr } = await place().run(['topics', 'plan', '--json'], changed)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as Finding[]
  }
}

function differences(findings: readonly Finding[], topic: string): readonly string[] {
  const found = findings.find((finding) => finding.topic === topic)?.differences ?? []
  return found.map(({ setting, found: is }) => `${setting}: ${is}`).toSorted()
}

async function set(admin: Admin, name: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const configEntries = Object.entries(settings).map(([setting, value]) => ({ name: setting, value }))
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: topicResource, name, configEntries }] })
}
