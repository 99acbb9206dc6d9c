import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { catalogue, physicalTopic, type TopicSpec, topicSpec } from './catalogue.ts'

const topics: readonly TopicSpec[] = catalogue

describe('the catalogue', () => {
  test('names every topic once, in words that a log takes', () => {
    assert.equal(new Set(topics.map((topic) => topic.name)).size, topics.length)
    for (const topic of topics) assert.match(topic.name, /^[a-z]+(-[a-z]+)*$/)
  })

  test('gives every derived topic exactly one writer', () => {
    const derived = topics.filter((topic) => topic.derived === 'yes')
    assert.ok(derived.length > 0)
    for (const topic of derived) assert.equal(topic.writers.length, 1, topic.name)
  })

  test('lets nobody write two derived topics', () => {
    const writers = topics.filter((topic) => topic.derived === 'yes').flatMap((topic) => topic.writers)
    assert.equal(new Set(writers).size, writers.length)
  })

  test('gives every topic a writer, a reader, records and a sentence', () => {
    for (const topic of topics) {
      assert.ok(topic.writers.length > 0 && topic.readers.length > 0 && topic.records.length > 0, topic.name)
      assert.match(topic.about, /\.$/, topic.name)
    }
  })

  test('keeps what derivations are made from for ever', () => {
    for (const name of ['utterances', 'completions', 'generations'] as const) {
      assert.equal(topicSpec(name).retentionMs, null, name)
    }
  })

  test('puts a watermark in every derived topic, for freshness', () => {
    for (const topic of topics.filter((each) => each.derived === 'yes')) {
      assert.ok(topic.records.includes('WatermarkAdvanced'), topic.name)
    }
  })
})

describe('the name of a topic in the log', () => {
  test('carries the derivation where the topic is derived', () => {
    assert.equal(physicalTopic('facts', 'd1'), 'facts.d1')
    assert.equal(physicalTopic('utterances', null), 'utterances')
  })

  test('is refused where a derivation is missing or out of place', () => {
    assert.throws(() => physicalTopic('facts', null), /needs a derivation/)
    assert.throws(() => physicalTopic('utterances', 'd1'), /takes no derivation/)
  })
})
