import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findTimes, resolveTimes } from './times.ts'

const monday8May = Date.UTC(2023, 4, 8, 13, 56)
const friday12May = Date.UTC(2023, 4, 12, 9)

describe('an expression of time becomes absolute, counted from the utterance', () => {
  const rows: readonly (readonly [said: string, resolved: string, display: string])[] = [
    ['I went yesterday', 'I went on 7 May 2023', '2023-05-07'],
    ['I go tomorrow morning', 'I go on 9 May 2023', '2023-05-09'],
    ['I sang last night', 'I sang on 7 May 2023', '2023-05-07'],
    ['I swam last week', 'I swam in the week of 1 May 2023', 'the week of 2023-05-01'],
    ['I ran two weeks ago', 'I ran in the week of 24 April 2023', 'the week of 2023-04-24'],
    ['I will run in three days', 'I will run on 11 May 2023', '2023-05-11'],
    ['I fell five days ago', 'I fell on 3 May 2023', '2023-05-03'],
    ['I moved last year', 'I moved in 2022', '2022'],
    ['I married in 2016', 'I married in 2016', '2016'],
    ['I sail next month', 'I sail in June 2023', 'June 2023'],
    ['I dived last summer', 'I dived in summer 2022', 'summer 2022'],
    ['I dug this weekend', 'I dug on the weekend of 6 May 2023', 'the weekend of 2023-05-06'],
    ['I dig this weekend', 'I dig on the weekend of 13 May 2023', 'the weekend of 2023-05-13'],
    ['We met the weekend before', 'We met on the weekend of 6 May 2023', 'the weekend of 2023-05-06'],
    ['I rode last Sat', 'I rode on 6 May 2023', '2023-05-06'],
    ['I sold it in March', 'I sold it in March 2023', 'March 2023'],
    ['I was born on 5 June 1990', 'I was born on 5 June 1990', '1990-06-05'],
    ['I waited since last week', 'I waited since the week of 1 May 2023', 'the week of 2023-05-01'],
    ["I liked yesterday's talk", 'I liked the 7 May 2023 talk', '2023-05-07'],
    ['I sing on the 14th of May', 'I sing on 14 May 2023', '2023-05-14'],
    ['I pay before the 14th of May', 'I pay before 14 May 2023', '2023-05-14'],
    ['I pay before the end of May', 'I pay before the end of May 2023', 'end of May 2023'],
    ['I ran at the beginning of April', 'I ran at the beginning of April 2023', 'beginning of April 2023'],
    ['I will sing on the 14th', 'I will sing on 14 May 2023', '2023-05-14'],
    ['I sang on the 14th', 'I sang on 14 April 2023', '2023-04-14'],
    ['I will rest by the end of the month', 'I will rest by the end of May 2023', 'May 2023'],
    ['Two years ago I quit', 'In 2021 I quit', '2021'],
  ]
  for (const [said, resolved, display] of rows) {
    it(said, () => {
      assert.equal(resolveTimes(said, monday8May).text, resolved)
      assert.equal(findTimes(said, monday8May)[0]?.display, display)
    })
  }
})

it('a weekday is the one before in the past and the one after in the future', () => {
  assert.equal(resolveTimes('I met him on Friday', monday8May).text, 'I met him on 5 May 2023')
  assert.equal(resolveTimes('I will meet him on Friday', monday8May).text, 'I will meet him on 12 May 2023')
})

it('on a Friday, next Friday is a week later, and last Friday a week before', () => {
  assert.equal(findTimes('I leave next Friday', friday12May)[0]?.display, '2023-05-19')
  assert.equal(findTimes('I left last Friday', friday12May)[0]?.display, '2023-05-05')
})

describe('`this` with a span that is over means that one if the clause reports something as done', () => {
  const october = Date.UTC(2023, 9, 15)
  const rows: readonly (readonly [said: string, at: number, display: string])[] = [
    ['I sailed this summer', october, 'summer 2023'],
    ['I have sailed this summer', october, 'summer 2023'],
    ['I sailed this autumn', october, 'autumn 2023'],
    ['I sailed this March', Date.UTC(2023, 11, 20), 'March 2023'],
    ['I sailed this December', Date.UTC(2024, 0, 9), 'December 2023'],
    ['I saw him this Friday', monday8May, '2023-05-05'],
    ['I saw him this Monday', monday8May, '2023-05-08'],
    ['I dug this weekend', Date.UTC(2023, 4, 13, 9), 'the weekend of 2023-05-13'],
    // No report: a plan, a state, a hope, a need.
    ['I will sail this summer', october, 'summer 2024'],
    ['We decided to sail this summer', october, 'summer 2024'],
    ['The pool is closed this weekend', monday8May, 'the weekend of 2023-05-13'],
    ['I got tickets for this weekend', monday8May, 'the weekend of 2023-05-13'],
    ['We need help this weekend', monday8May, 'the weekend of 2023-05-13'],
    ['I told Tom we dig this weekend', monday8May, 'the weekend of 2023-05-13'],
    ['We are invited this Friday', monday8May, '2023-05-12'],
  ]
  for (const [said, at, display] of rows) it(said, () => assert.equal(findTimes(said, at)[0]?.display, display))
})

it('the last winter is over, also in January', () => {
  assert.equal(findTimes('I skied last winter', Date.UTC(2024, 0, 9))[0]?.display, 'winter 2022')
  assert.equal(findTimes('I skied last winter', Date.UTC(2024, 3, 9))[0]?.display, 'winter 2023')
})

it('the verb may, a duration and a plain number are no times', () => {
  for (const text of ['It may rain', 'It took five years', 'We walked 2000 steps', 'We live on the 14th floor'])
    assert.deepEqual(findTimes(text, monday8May), [])
})

it('a date to which something is moved is in the future', () => {
  for (const text of ['The release slipped to 10 July', 'We extended the lease until 10 July'])
    assert.equal(resolveTimes(text, monday8May).when?.from, Date.UTC(2023, 6, 10), text)
  assert.equal(resolveTimes('The release slipped to 10 April', monday8May).when?.from, Date.UTC(2024, 3, 10))
})

it('spans are exclusive at their end, and in UTC', () => {
  const [found] = findTimes('I ran last month', monday8May)
  assert.deepEqual([found?.from, found?.to], [Date.UTC(2023, 3, 1), Date.UTC(2023, 4, 1)])
})

it('the first time of a sentence is its time', () => {
  assert.equal(resolveTimes('I ran yesterday and will rest tomorrow', monday8May).when?.text, '7 May 2023')
  assert.equal(resolveTimes('I ran', monday8May).when, null)
})

it('a time is found in a run of many characters without white space, and beside one', () => {
  for (const text of [
    `${'我们去年搬到了里斯本，'.repeat(12)}2023-05-07我们划船。`,
    `see https://example.org/${'a'.repeat(120)}?day=2023-05-07`,
    `${'a/'.repeat(60)} we rowed on 7 May 2023`,
    `${'7'.repeat(200)} we rowed on 7 May 2023`,
  ])
    assert.deepEqual(
      findTimes(text, monday8May).map(({ display }) => display),
      ['2023-05-07'],
      text,
    )
})
