import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { catalogue, physicalTopic, type TopicSpec, topicSpec } from './catalogue.ts'

const topics: readonly TopicSpec[] = catalogue

describe('the catalogue', () => {
  test('gives every topic a unique kebab-case name', () => {
    assert.equal(new Set(topics.map((topic) => topic.name)).size, topics.length)
    for (const topic of topics) assert.match(topic.name, /^[a-z]+(-[a-z]+)*$/)
  })

  test('gives every derived topic exactly one writer', () => {
    const derived = topics.filter((topic) => topic.derivedFrom !== null)
    assert.ok(derived.length > 0)
    for (const topic of derived) assert.equal(topic.writers.length, 1, topic.name)
  })

  test('lets a service write one derived topic at most', () => {
    const writers = topics.filter((topic) => topic.derivedFrom !== null).flatMap((topic) => topic.writers)
    assert.equal(new Set(writers).size, writers.length)
  })

  test('gives every topic a writer, a reader, records and a sentence', () => {
    for (const topic of topics) {
      assert.ok(topic.writers.length > 0 && topic.readers.length > 0 && topic.records.length > 0, topic.name)
      assert.match(topic.about, /\.$/, topic.name)
    }
  })

  test('keeps the inputs of derivations without limit', () => {
    for (const name of ['utterances', 'completions', 'generations'] as const) {
      assert.equal(topicSpec(name).retentionMs, null, name)
    }
  })

  test('puts a watermark in every derived topic, for freshness', () => {
    for (const topic of topics.filter((each) => each.derivedFrom !== null)) {
      assert.ok(topic.records.includes('WatermarkAdvanced'), topic.name)
    }
  })
})

describe('the name of a topic in the log', () => {
  test('carries the derivation of a derived topic', () => {
    assert.equal(physicalTopic(topicSpec('facts'), 'd1'), 'facts.d1')
    assert.equal(physicalTopic(topicSpec('utterances'), null), 'utterances')
  })

  test('needs a derivation exactly if the topic is derived', () => {
    assert.throws(() => physicalTopic(topicSpec('facts'), null), /needs a derivation/)
    assert.throws(() => physicalTopic(topicSpec('utterances'), 'd1'), /takes no derivation/)
  })
})
