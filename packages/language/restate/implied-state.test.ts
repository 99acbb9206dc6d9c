import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restate } from '../restate.ts'

function states(text: string) {
  const context = { addressee: null, previous: [], participants: ['Ann', 'Bob'] }
  return restate({ speaker: 'Ann', text, at: Date.UTC(2023, 3, 7) }, context).filter(({ kind }) => kind === 'state')
}

const changes: readonly (readonly [said: string, states: readonly string[]])[] = [
  ['I moved to Porto last week.', ['Ann lives in Porto.']],
  ['I moved from Lisbon to Porto with my cat in 2020.', ['Ann lives in Porto.']],
  ['My sister Lena moved back to Berlin because of work.', ["Ann's sister Lena lives in Berlin."]],
  ['I became product lead at Acme last Wednesday.', ['Ann works as product lead at Acme.']],
  ['I started as a nurse in 2021.', ['Ann works as a nurse.']],
  ['I was promoted to manager.', ['Ann works as manager.']],
  ['I moved to the front row.', []],
  ["I moved to Tom's place.", []],
  ['I became a member of the club.', []],
  ['I hired a teacher.', []],
  ['I will move to Porto in May.', []],
]
for (const [said, expected] of changes)
  it(said, () =>
    assert.deepEqual(
      states(said).map(({ text }) => text),
      expected,
    ),
  )

it('the state holds from the time of the change', () => {
  const [state] = states('I moved to Porto in 2020.')
  assert.equal(state?.when?.from, Date.UTC(2020, 0, 1))
  assert.deepEqual([state?.subject, state?.relation, state?.object], ['Ann', 'lives in', 'Porto'])
})
