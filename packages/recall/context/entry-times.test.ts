import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { type ContextRequest, contextBlock } from './context-block.ts'

const home = 'acme/home'
const at = (day: string) => Date.parse(`${day}T09:00:00Z`)

test('a line of the current state has the day of its newest utterance, or its beginning and end where statements have them', async (t) => {
  const place = await memory(t)
  const said = { speaker: 'Ann', conversation: 'a' }
  const days = ['2026-03-02', '2026-03-09', '2026-03-16', '2026-07-06']
  const spoken = days.map((day, n) => row(home, `u${n}`, `Ann: Message ${n}.`, { ...said, at: at(day), offset: n }))
  await place.write('utterances', await Promise.all(spoken))
  const told = { document: 'd', kind: 'profile', title: 'Ann', speaker: 'Ann', facts: [] }
  const entry = (id: string, statement: string, fields: object) =>
    row(home, id, `Ann: ${statement}`, { ...told, statement, ...fields })
  const dated = (day: string) => {
    const from = Date.parse(day)
    return { validFrom: from, when: { from, to: from, text: day } }
  }
  await place.write(
    'entries',
    await Promise.all([
      entry('said', 'Ann has a boat.', { validFrom: at('2026-03-02'), sources: ['u0', 'u1'] }),
      entry('since', 'Ann lives in Graz.', { ...dated('2026-01-01'), sources: ['u0'] }),
      entry('until', 'Ann pays 600 euros.', {
        validFrom: at('2026-03-09'),
        validTo: Date.parse('2026-07-01'),
        sources: ['u1'],
        knownTo: at('2026-07-06'),
        replacedBy: 'later',
      }),
      entry('later', 'Ann pays 700 euros.', { ...dated('2026-07-01'), sources: ['u3'] }),
      entry('outlived', 'Ann rides a bike.', {
        validFrom: at('2026-03-09'),
        validTo: at('2026-07-06'),
        sources: ['u1'],
        knownTo: at('2026-07-06'),
        replacedBy: 'walks',
      }),
      entry('walks', 'Ann walks.', { validFrom: at('2026-07-06'), sources: ['u3'] }),
      entry('from', 'Ann works in Linz.', { ...dated('2999-05-01'), sources: ['u2'] }),
    ]),
  )
  const linesOf = async (request: Pick<ContextRequest, 'asOf' | 'query'>) => {
    const { items } = await contextBlock({ space: home, ...request }, place)
    return Object.fromEntries(items.flatMap(({ part, id, text }) => (part === 'holds' ? [[id, text]] : [])))
  }
  const query = 'Where is Ann, and what does Ann do?'
  assert.deepEqual(await linesOf({ query, asOf: { trueAt: at('2026-03-20') } }), {
    said: 'Ann has a boat. (said 9 Mar 2026)',
    since: 'Ann lives in Graz. (since 1 Jan 2026)',
    until: 'Ann pays 600 euros. (said 9 Mar 2026, until 1 Jul 2026)',
    outlived: 'Ann rides a bike. (said 9 Mar 2026)',
  })
  assert.equal((await linesOf({ query })).from, 'Ann works in Linz. (from 1 May 2999)')
})
