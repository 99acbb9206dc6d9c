import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneLine } from '@loomlog/schemas/one-line'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'
import { excerptOf, isLong } from './excerpt.ts'

/** Of an utterance. */
const maxTextBytes = 65_536
const about = (question: string) => new Set(stemsOf(question).counts.keys())
const filler = 'The plan has a goal for each week, and every week ends with a review of it. '.repeat(6).trim()
const code = `\`\`\`js\nconst user = isKnown ? find(name) : null\nreturn user ? user.token : null\n\`\`\``
const long = `${filler}\n\nThe gateway keeps a session for 45 minutes. After that, it asks for the password again.\n\n${filler}\n\nThe login:\n${code}\n\n${filler}`

test('an excerpt of a long utterance has the passages with most words of the question, and “…” for the others', () => {
  const excerpt =
    excerptOf(long, about('How long does the gateway keep a session?'), { usual: 130, most: 130 })?.text ?? ''
  assert.match(excerpt, /^…\n[^…]*session for 45 minutes[^…]*\n…$/)
  assert.ok(tokensOf(excerpt) < 140)
})

test('code in an excerpt is whole, under the line that leads to it', () => {
  const excerpt =
    excerptOf(long, about('How does the login return the token of a user?'), { usual: 130, most: 400 })?.text ?? ''
  assert.ok(excerpt.includes(code))
  assert.ok(excerpt.includes('The login:'))
})

test('a code block that is too long is shown by its lines with a word of the question', () => {
  const block = `\`\`\`\n${'row = load(row)\n'.repeat(100)}token = next(token)\n${'row = load(row)\n'.repeat(100)}\`\`\``
  for (const text of [block, `${filler}\n${block}`]) {
    const excerpt = excerptOf(text, about('token'), { usual: 100, most: 100 })
    assert.match(excerpt?.text ?? '', /^…\n[^…]*\ntoken = next\(token\)\n[^…]*\n…$/)
    assert.ok((excerpt?.tokens ?? 0) <= 100 + 2 * tokensOf(' …'))
  }
})

test('a word in the middle of a text of the largest size is shown in its excerpt, however the text is written', () => {
  const shapes: readonly (readonly [string, string])[] = [
    ['The team reviewed the plan for the harbour. Then it went home.\n\n', ' '],
    ['the team reviewed the plan for the harbour and went home ', ' '],
    ['{"id":12,"plan":"harbour"},', ' '],
    ['Der Hafenverein überprüfte die Überwachungsanlage der Rückhaltebecken. ', ' '],
    ['港のチームは計画を見直しました。', ''],
  ]
  for (const [unit, space] of shapes) {
    const half = unit.repeat(Math.floor(maxTextBytes / 2 / Buffer.byteLength(unit)))
    const text = `${half}${space}Halvorsen 7741${space}${half}`
    assert.ok(isLong(text))
    for (const limits of [
      { usual: 60, most: 120 },
      { usual: 125, most: 333 },
    ]) {
      const excerpt = excerptOf(text, about('Which code does Halvorsen have?'), limits)
      assert.match(excerpt?.text ?? '', /Halvorsen 7741/, unit)
      assert.ok((excerpt?.tokens ?? 0) <= limits.most + 2 * tokensOf(' …'), unit)
    }
  }
})

test('an excerpt counts at least the tokens that its line has, however its passages begin', () => {
  const beginnings = [
    '2 kg of flour',
    '“Porto”',
    '- 3 eggs',
    '```ts\nconst a = 1\n```',
    '| 1 | 2 |',
    'Bread',
    '10:30',
    '42%',
  ]
  const passage = (begin: string, at: number) =>
    `${begin} for batch ${at} ${'of the boat market in the harbour '.repeat(12)}.`
  const text = Array.from({ length: 40 }, (_, at) => passage(beginnings[at % beginnings.length] ?? '', at)).join('\n\n')
  for (const most of [120, 400, 1_200, 4_000]) {
    const excerpt = excerptOf(text, new Set(['batch']), { usual: most, most })
    assert.ok(excerpt !== null)
    const line = tokensOf(`Ann: ${oneLine(excerpt.text)}\n`)
    assert.ok(line <= tokensOf('Ann: \n') + excerpt.tokens, `${line} tokens in the line, ${excerpt.tokens} counted`)
  }
})

test('a short utterance is not long', () => {
  assert.equal(isLong('I sold the boat.'), false)
  assert.equal(isLong(long), true)
})
