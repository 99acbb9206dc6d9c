import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changedBy, readMessage } from '../change.ts'
import { likelyChanges } from './likely.ts'

const day = 86_400_000

function certaintyOf(earlier: string, later: string, { by = 'Ann', gap = 3 * day } = {}) {
  const [one, other] = [
    { speaker: 'Ann', at: 0, read: readMessage(earlier) },
    { speaker: by, at: gap, read: readMessage(later) },
  ]
  const [found] = likelyChanges([one, other], new Set([one]))
  return { certainty: found?.certainty ?? null, isRuled: changedBy(other, [one]).length > 0, because: found?.because }
}

const sure: readonly (readonly [earlier: string, later: string])[] = [
  ['The bench is 90 cm high.', 'Lifted the bench to 95 cm.'],
  ['Churn is at 4 percent.', 'Churn came down to 3.1 percent.'],
  ['API-31 is in progress.', 'API-31 moved to review.'],
  ['Standup is at 9:30.', 'From tomorrow standup is at 10.'],
  ['Der Server hat 32 GB Speicher.', 'Der Server hat jetzt 64 GB Speicher.'],
  ['Salimos el 3 de agosto.', 'Al final salimos el 5 de agosto.'],
]
describe('a change that no rule knows is sure', () => {
  for (const [earlier, later] of sure) {
    it(later, () => {
      const { certainty, isRuled } = certaintyOf(earlier, later)
      assert.deepEqual([certainty, isRuled], ['sure', false])
    })
  }
})

const unlikely: readonly (readonly [earlier: string, later: string])[] = [
  ['Room A costs 40 an hour.', 'Room B costs 25 an hour now.'],
  ['I eat no meat.', 'My brother eats meat now.'],
  ['The travel budget is 12k.', 'The hardware budget is 30k now.'],
  ['Our flat costs 700 euros.', "My sister's flat costs 900 euros."],
  ['The fee is 12 euros.', 'Is the fee 15 euros now?'],
  ['Thanks, Caroline! Your kind words mean a lot.', 'Wow, Caroline, your words still mean a lot to me.'],
]
describe('another matter, and a question, change nothing', () => {
  for (const [earlier, later] of unlikely) it(later, () => assert.equal(certaintyOf(earlier, later).certainty, null))
})

it('a change names the features that count most for it', () => {
  const { because = [] } = certaintyOf('Churn is at 4 percent.', 'Churn came down to 3.1 percent.')
  assert.ok(because.includes('cue in the sentence'), because.join())
})

it('a sentence that names nothing corrects the one before it, and none of another day', () => {
  const correct = (gap: number) => certaintyOf('Flight lands at 17:40.', 'sorry, 18:40', { gap }).certainty
  assert.deepEqual([correct(60_000) === null, correct(3 * day)], [false, null])
})

it('of several statements only the ones nearest to the change are outdated', () => {
  const messages = ['The API runs on Node 20.', 'The worker runs on Node 18.', 'The worker runs on Node 22 now.'].map(
    (text, at) => ({ speaker: 'Ann', at: at * day, read: readMessage(text) }),
  )
  const changes = likelyChanges(messages, new Set(messages))
  assert.deepEqual(
    changes.map(({ earlier, later }) => [messages.indexOf(earlier), messages.indexOf(later)]),
    [[1, 2]],
  )
})
