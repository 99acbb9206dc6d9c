import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import test, { describe } from 'node:test'
import { records } from '@loomlog/schemas/records'
import { catalogue, type TopicSpec } from '@loomlog/topics/catalogue'
import { root, stages } from './sources.ts'

const topics: readonly TopicSpec[] = catalogue
const kindOf = new Map(records.map((record) => [record.name, record.kind]))

describe('the catalogue of topics', () => {
  test('every record in a topic has a schema', () => {
    const unknown = topics.flatMap((topic) => topic.records).filter((record) => !kindOf.has(record))
    assert.deepEqual(unknown, [], 'Write its .avsc in schemas/, or remove it from topics/catalogue.ts.')
  })

  test('every record with a schema belongs to a topic', () => {
    const placed = new Set(topics.flatMap((topic) => topic.records))
    const homeless = records.map((record) => record.name).filter((record) => !placed.has(record))
    assert.deepEqual(homeless, [], 'Add it to its topic in topics/catalogue.ts, or delete its .avsc.')
  })

  test('derived topics have derived events, and utterances has every source event', () => {
    for (const topic of topics) {
      const kinds = new Set(topic.records.map((record) => kindOf.get(record)))
      if (topic.derivedFrom === null) assert.ok(!kinds.has('derived'), `${topic.name} holds derived events`)
      if (kinds.has('source')) assert.ok(topic.name === 'utterances' || topic.derivedFrom !== null, topic.name)
    }
    for (const [name, kind] of kindOf) {
      if (kind === 'source') assert.ok(topics[0]?.records.includes(name), `${name} is not in ${topics[0]?.name}`)
    }
  })

  test('a derived event belongs to one topic', () => {
    for (const [name, kind] of kindOf) {
      if (kind !== 'derived') continue
      assert.equal(topics.filter((topic) => topic.records.includes(name)).length, 1, name)
    }
  })

  test('writers and readers are folders of services or packages', () => {
    const names = new Set(topics.flatMap((topic) => [...topic.writers, ...topic.readers]))
    const unknown = [...names].filter(
      (name) => !['services', 'packages'].some((home) => existsSync(`${root}${home}/${name}`)),
    )
    assert.deepEqual(unknown, [])
  })

  test('every processor writes one derived topic, and only processors do', () => {
    const writers = topics.filter((topic) => topic.derivedFrom !== null).flatMap((topic) => topic.writers)
    assert.deepEqual([...writers].sort(), stages)
  })
})
