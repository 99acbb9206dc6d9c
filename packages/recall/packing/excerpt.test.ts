import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneLine } from '@loomlog/schemas/one-line'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'
import { excerptOf, isLong } from './excerpt.ts'

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

test('a passage that is too long for its share is left out, and so is an utterance with only such passages', () => {
  const block = `\`\`\`\n${'token = next(token)\n'.repeat(200)}\`\`\``
  assert.equal(excerptOf(block, about('token'), { usual: 100, most: 100 }), null)
  const excerpt = excerptOf(`${filler}\n${block}`, about('token'), { usual: 130, most: 130 })?.text
  assert.ok(excerpt?.includes('The plan has a goal'))
  assert.ok(!excerpt?.includes('next(token)'))
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
