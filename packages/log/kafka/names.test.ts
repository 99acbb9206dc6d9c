import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { KafkaNames } from './names.ts'

const names = new KafkaNames('prod')

test('a name for Kafka is recognised, and a name of another environment is not', () => {
  assert.equal(names.topicOf(names.topic('facts.1a2b')), 'facts.1a2b')
  assert.deepEqual(names.groupOf(names.group('topic-loom.1a2b', 'utterances')), {
    group: 'topic-loom.1a2b',
    topic: 'utterances',
  })
  const changelog = names.changelog('topic-loom.1a2b', 'utterances')
  assert.ok(names.isChangelog(changelog))
  assert.equal(names.topicOf(changelog), null)
  assert.deepEqual(names.groupOf(changelog), { group: 'topic-loom.1a2b', topic: 'utterances' })
  const other = new KafkaNames('prod-2')
  assert.equal(other.topicOf(names.topic('facts')), null)
  assert.equal(other.groupOf(names.group('g', 'facts')), null)
})

test('names that Kafka or this scheme does not allow are refused', () => {
  const refused = (work: () => unknown) => assert.throws(work, (error) => isLoomlogError(error, 'config-invalid'))
  refused(() => new KafkaNames('a.b'))
  refused(() => names.topic('under_score'))
  refused(() => names.topic('sp ace'))
  refused(() => names.group('g', ''))
  refused(() => names.topic('x'.repeat(250)))
})

test('each partition of each group has a transactional id of its own, which names environment, group, topic and partition', () => {
  const ids = [new KafkaNames('prod'), new KafkaNames('prod-2')].flatMap((each) =>
    ['topic-loom.1a2b', 'topic-loom.3c4d'].flatMap((group) =>
      ['utterances', 'facts.1a2b'].flatMap((topic) => [0, 1].map((part) => each.transactionalId(group, topic, part))),
    ),
  )
  assert.equal(new Set(ids).size, 16)
  assert.equal(ids[0], 'loomlog.prod.topic-loom.1a2b_utterances.0')
})
