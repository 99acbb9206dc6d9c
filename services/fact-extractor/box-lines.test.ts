/** The content of an ask. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windowLines } from './box-lines.ts'
import { type Line, monday, openBox } from './fixture.ts'

test('an ask has the lines of a window by day and conversation, wherever its boxes begin', () => {
  const line = (seq: number, text: string, at: number): Line => ['Ann', text, { id: `${seq}`, seq, at }]
  const first = line(1, 'I own a boat.', monday)
  const second = line(3, 'It sails.', monday + 60_000)
  const nextDay = line(4, 'Sold it.', monday + 86_400_000)
  const other = { ...openBox(line(2, 'Hello.', monday + 30_000)), conversation: 'd' }
  const whole = windowLines([openBox(first, second, nextDay), other], [])
  assert.deepEqual(
    whole.days.map(({ conversation, lines }) => [conversation, ...lines.map(({ label, text }) => `${label} ${text}`)]),
    [
      ['c', '1 I own a boat.', '2 It sails.'],
      ['d', '3 Hello.'],
      ['c', '4 Sold it.'],
    ],
  )
  assert.deepEqual(windowLines([openBox(first), other, openBox(second, nextDay)], []), whole)
})
