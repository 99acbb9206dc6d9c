import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { contextBlock } from './context-block.ts'

const home = 'acme/home'
const day = 86_400_000

test('a context drops the entry of an outdated sentence, also in other words, and keeps the entry of the sentence beside it', async (t) => {
  const place = await memory(t)
  const lines = [
    'I live in Graz. The appointment at the dentist is on Friday.',
    'The appointment at the dentist is on Monday now.',
  ]
  const said = lines.map((text, n) =>
    row(home, `u${n}`, `Ann: ${text}`, { speaker: 'Ann', conversation: 'a', at: n * day, offset: n }),
  )
  await place.write('utterances', await Promise.all(said))
  const statements = ['Ann lives in Graz.', 'Ann expects a checkup of her teeth on 13 March 2026.']
  const entries = statements.map((statement, n) => {
    const stated = { document: 'd', kind: 'profile', title: 'Ann', speaker: 'Ann', statement, sources: ['u0'] }
    return row(home, `e${n}`, `Ann: ${statement}`, { ...stated, facts: [] })
  })
  await place.write('entries', await Promise.all(entries))
  const query = 'Where does Ann live, and when is her appointment at the dentist?'
  const { items, text } = await contextBlock({ space: home, query }, place)
  assert.match(text, /on Friday\. \(since changed\)/)
  assert.deepEqual(
    items.flatMap(({ part, text }) => (part === 'holds' ? [text] : [])),
    ['Ann lives in Graz. (said 1 Jan 1970)'],
  )
})
