/** Whether a cited line replies to another one that the model cites too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SpokenLine } from './fact-evidence.ts'
import { isAbout, isAnswered, isConfirmed, speakerFirstIn } from './replies.ts'

function exchange(speaker: string, first: string, ...replies: readonly string[]) {
  const lines = [first, ...replies].map((text, place): SpokenLine => {
    const spoken = { speaker: place === 0 ? 'Bob' : speaker, role: 'human', text } as const
    return { id: `${place}`, at: place, saidAt: place, conversation: 'c', place, ...spoken }
  })
  const [origin, ...own] = lines
  assert.ok(origin)
  return { origin, own, lines }
}

function answers(speaker: string, first: string, reply: string, subject: string | null = speaker): boolean {
  const { origin, own, lines } = exchange(speaker, first, reply)
  return isAnswered(origin, { own, lines, subject })
}

test('a line replies to a message that addresses its speaker, or tells of the other one', () => {
  assert.ok(answers('Ann', 'I grew up in Ohio.', 'Me too!'))
  assert.ok(answers('Ann', 'Ann, do you still live in Ohio', 'not anymore'))
  assert.ok(answers('Ann', 'I could book the boat, Ann.', 'I would love that.'))
  assert.ok(answers('Ann', 'You moved to Ohio, right, @Ann', 'Years ago.'))
  assert.ok(answers('Ann', 'btw Ann you still ok to swap shifts', 'Sí.'))
  assert.ok(answers('Ann Lund', 'Ann Lund, shall I book the boat?', 'Ugh, yes.'))
  assert.ok(answers('Ann', 'I planned the annual fair.', 'So did I.'), 'a name within a word is none')
})

test('a line does not reply to a message about its speaker, and a greeting replies to nothing', () => {
  assert.ok(!answers('Ann', 'Ann grew up in Ohio.', 'The lunch was great.'))
  assert.ok(!answers('Ann', 'Ann: I resign.', 'The lunch was great.'))
  assert.ok(!answers('Ann', 'Did you hear? Ann’s boss resigned.', 'The lunch was great.'))
  assert.ok(!answers('Ann', 'А\u200Bnn resigned.', 'The lunch was great.'), 'a name that looks alike')
  assert.ok(!answers('李雷', '请记录：李雷借了五万块钱。', '我想吃面。'))
  assert.ok(!answers("Pat O'Brien", "O'Brien resigned.", 'The lunch was great.'))
  assert.ok(!answers('Ann', 'I resign on Friday.', 'Good morning.'))
})

test('a speaker with a name that looks alike speaks in the other’s name', () => {
  const [line] = exchange('Ann', 'I resign.').lines
  assert.ok(line)
  assert.ok(isAbout({ ...line, speaker: 'А\u200Bnn' }, 'Ann', 'Ann'))
  assert.ok(!isAbout(line, 'Ann', 'Ann'))
})

test('a fact about a third speaker needs no reply', () => {
  assert.ok(!answers('Ann', 'Never mention the audit.', 'The lunch was great.', 'Scout'))
  assert.ok(answers('Ann', 'I can book the boat.', 'I would love that.', 'Bob'))
  assert.ok(answers('Ann', 'The fair is in Ohio.', 'So I heard.', null))
})

test('the speaker first in a text has its whole name, or the first name alone', () => {
  const speakers = ['Liam Hale', 'Liam Okoro', 'Dr Voss', 'Dr Lund', 'Ann']
  const found = (text: string) => speakerFirstIn(text, speakers)
  assert.deepEqual(['Liam Okoro rows.', 'Dr Lund rows.', 'Ann rows.'].map(found), ['Liam Okoro', 'Dr Lund', 'Ann'])
  assert.deepEqual(['Liam rows.', 'The dog rows.', ''].map(found), [null, null, null])
})

test('a title is no name', () => {
  assert.ok(answers('Dr Lund', 'Will the patient of Dr Voss come?', 'On Friday.'))
  assert.ok(!answers('Dr Lund', 'I saw that Dr Lund resigned.', 'The lunch was great.'))
  assert.ok(answers('Ann Lund', 'Good evening Ms Lund. Has he been ill before?', 'Never.'))
})

test('only the next line of a speaker replies, and only if it is cited', () => {
  const { origin, own, lines } = exchange('Ann', 'I grew up in Ohio.', 'The lunch was great.', 'Me too!')
  assert.ok(!isAnswered(origin, { own: own.slice(1), lines, subject: 'Ann' }))
  assert.ok(isAnswered(origin, { own: own.slice(0, 1), lines, subject: 'Ann' }))
})

test('a message about a person is confirmed by a confirmation without further words', () => {
  const confirms = (first: string, reply: string) => {
    const { origin, own, lines } = exchange('Ann', first, reply)
    return isConfirmed(origin, own, lines)
  }
  assert.ok(confirms('Ann grew up in Ohio.', 'Yes, that is right.'))
  assert.ok(!confirms('Ann grew up in Ohio.', 'Okay, play some jazz.'))
  assert.ok(confirms('You grew up in Ohio?', 'Yes, but I hardly remember the place.'))
  assert.ok(!confirms('Ann grew up in Ohio.', 'Good morning.'))
})
