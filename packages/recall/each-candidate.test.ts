import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextBlock } from './context/context-block.ts'
import { eachCandidate } from './each-candidate.ts'
import { explain } from './explain.ts'
import { memory, utterance } from './fixture.ts'
import { pack } from './packing/pack.ts'
import { recall } from './recall.ts'

const home = 'acme/home'

/** @param reads of the text that succeed: admission reads it once */
function unreadable<T extends { readonly text: string }>(item: T, reads = 0): T {
  let left = reads
  const { text } = item
  return Object.defineProperty({ ...item }, 'text', {
    get() {
      if (left-- > 0) return text
      throw new Error('no text')
    },
    enumerable: true,
  })
}

test('a memory that cannot be read is left out of recall and context, reported, and the others are found', async (t) => {
  const place = await memory(t)
  for (const id of ['good', 'bad']) await place.append(utterance(home, id, `The boat of ${id} is blue.`))
  const decode = place.codec.decodeOwn.bind(place.codec)
  t.mock.method(place.codec, 'decodeOwn', async (bytes: Uint8Array) => {
    const event = await decode(bytes)
    return event?.type === 'UtteranceAppended' && event.id === 'bad' ? unreadable(event, 1) : event
  })
  const failures: string[] = []
  const options = { ...place, onCandidateFailure: ({ id }: { readonly id: string }) => failures.push(id) }
  const failed = [{ id: 'bad', space: home, kind: 'utterance', why: 'no text' }]
  for (const found of [
    await recall({ space: home, query: 'Which boat is blue?' }, options),
    await recall({ space: home, query: 'Which boat is blue?', budgetTokens: 500 }, options),
    await explain({ space: home, query: 'Which boat is blue?' }, options),
    await contextBlock({ space: home, query: 'Which boat is blue?' }, options),
    await contextBlock({ space: home }, options),
  ]) {
    assert.deepEqual(
      found.items.map(({ id }) => id),
      ['good'],
    )
    assert.deepEqual(found.failed, failed)
  }
  assert.deepEqual(failures, ['bad', 'bad', 'bad', 'bad', 'bad'])
  assert.equal('failed' in (await recall({ space: home, query: 'Which boat is blue?', exclude: ['bad'] }, place)), true)
})

test('a candidate whose tokens cannot be counted takes no other one with it', async (t) => {
  const place = await memory(t)
  for (const id of ['good', 'bad']) await place.append(utterance(home, id, `The boat of ${id} is blue.`))
  const { items } = await recall({ space: home, query: 'boat' }, place)
  const candidates = items.map((item) => (item.id === 'bad' ? unreadable(item) : item))
  const request = { query: 'boat', limit: 10 }
  for (const budgetTokens of [null, 500]) {
    const failures: string[] = []
    const onCandidateFailure = ({ id }: { readonly id: string }) => failures.push(id)
    const packed = await pack(candidates, { ...request, budgetTokens }, { onCandidateFailure })
    assert.deepEqual([packed.items.map(({ id }) => id), failures], [['good'], ['bad']])
    await assert.rejects(pack(candidates, { ...request, budgetTokens }), /no text/)
  }
})

test('long work on candidates gives way to other work', async () => {
  let turns = 0
  const other = setInterval(() => (turns += 1), 1)
  const slowly = () => {
    const until = performance.now() + 30
    while (performance.now() < until);
  }
  const nameOf = () => ({ id: 'u', space: home, kind: 'utterance' })
  await eachCandidate([1, 2, 3, 4, 5], slowly, { nameOf })
  clearInterval(other)
  assert.ok(turns >= 3, `${turns} turns`)
})
