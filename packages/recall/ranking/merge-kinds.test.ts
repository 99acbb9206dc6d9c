import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { explain } from '../explain.ts'
import { memory, row, utterance } from '../fixture.ts'
import { recall } from '../recall.ts'
import type { RecallRequest } from '../request/request.ts'
import { learnedWeights } from './weights.ts'

const home = 'acme/home'
const of = (...sources: readonly string[]) => ({ sources })

test('several kinds are merged by rank, and one piece of evidence comes once', async (t) => {
  const place = await memory(t)
  const numbers = [...Array(8).keys()]
  await place.write(
    'utterances',
    await Promise.all(numbers.map((n) => row(home, `u${n}`, `Ada: the boat ${n}`, { at: n }))),
  )
  await place.write(
    'facts',
    await Promise.all(numbers.map((n) => row(home, `f${n}`, `Ada has boat ${n}.`, of(`s${n}`)))),
  )
  const both = await recall({ space: home, query: 'Which boat?', kinds: ['utterance', 'fact'], limit: 8 }, place)
  assert.equal(both.items.filter(({ kind }) => kind === 'utterance').length, 4)
  assert.ok(both.items.every(({ score }) => score <= 1))

  await place.write('facts', [await row(home, 'e2', 'A boat sank.', { ...of('s1', 's2'), kind: 'event', offset: 1 })])
  const mixed = await recall({ space: home, query: 'boat', kinds: ['fact', 'event'], limit: 20 }, place)
  const ids = mixed.items.map(({ id }) => id)
  assert.ok(ids.includes('f1') && ids.filter((id) => id === 'e2').length === 1, ids.join())
})

test('profiles are a kind of their own, and documents include them', async (t) => {
  const place = await memory(t)
  const entry = (id: string, kind: string) => {
    const entry = {
      document: `d-${kind}`,
      kind,
      title: kind,
      heading: 'Boats',
      statement: `A blue boat in a ${kind}.`,
      sources: [id],
    }
    return row(home, id, `${kind} — Boats: ${entry.statement}`, entry)
  }
  await place.write('entries', [await entry('n1', 'topic'), await entry('n2', 'profile')])
  const found = async (kinds: readonly ('document' | 'profile')[]) =>
    (await recall({ space: home, query: 'blue boat', kinds }, place)).items
      .map(({ id, kind }) => `${kind} ${id}`)
      .sort()
  assert.deepEqual(await found(['profile']), ['profile d-profile'])
  assert.deepEqual(await found(['document']), ['document d-profile', 'document d-topic'])
  assert.equal((await found(['document', 'profile'])).length, 2)
})

test('the mode content counts an event as a fact; combined, the default, counts it once more', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [await row(home, 'u1', 'Ada: I let her go.')], 1)
  const event = (...sources: readonly string[]) => ({ ...of(...sources), kind: 'event' as const })
  await place.write('facts', [
    await row(home, 'e1', 'Ada sold the boat.', event('u1')),
    await row(home, 'e2', 'The boat sank.', event('gone')),
  ])
  await place.append(utterance(home, 'u1', 'I let her go.'))
  await place.append(utterance(home, 'u2', 'I sold the boat.'))
  const byEvents = async (mode: 'content' | 'combined', chosen: Pick<RecallRequest, 'kinds'> = {}) => {
    const { candidates } = await explain({ space: home, query: 'When was the boat sold?', mode, ...chosen }, place)
    const spoken = candidates.filter(({ contributions }) => contributions.some(({ part }) => part === 'events'))
    return [candidates.map(({ id }) => id).sort(), spoken.map(({ id }) => id).sort()]
  }
  assert.ok((learnedWeights.features['event meaning'] ?? 0) > 0)
  assert.deepEqual(await byEvents('content'), [['e2', 'u1', 'u2'], []])
  assert.deepEqual((await byEvents('content', { kinds: ['utterance'] }))[1], [])
  assert.deepEqual((await byEvents('combined', { kinds: ['utterance'] }))[1]?.includes('u1'), true)
  const [found, spoken] = await byEvents('combined')
  assert.deepEqual([found, spoken?.includes('u1')], [['e2', 'u1', 'u2'], true])
})

test('kinds that a mode leaves out are refused', async (t) => {
  const place = await memory(t)
  const asked = recall({ space: home, query: 'boat', mode: 'trace_event', kinds: ['fact'] }, place)
  await assert.rejects(asked, (error) => {
    return isLoomlogError(error, 'input-invalid') && /mode trace_event leaves out: expected event/.test(error.message)
  })
})
