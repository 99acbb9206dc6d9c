import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'
import { tokensOf } from '../text/tokens.ts'
import { withMarks } from './evidence-text.ts'
import { evidenceWithin } from './pack.ts'

const home = 'acme/home'
const replacedBy = ['u9']

/** The rent of the first message has changed since. */
async function evidenceFor(t: Parameters<typeof memory>[0], message: string, query: string, budgetTokens: number) {
  const place = await memory(t)
  const lines = [message, 'My rent is 650 euros now.']
  const rows = lines.map((text, n) =>
    row(home, `u${n}`, `Nils: ${text}`, { speaker: 'Nils', conversation: 'a', at: n * 3_600_000, offset: n }),
  )
  await place.write('utterances', await Promise.all(rows))
  const { items, text, tokens } = await recall({ space: home, query, budgetTokens }, place)
  assert.deepEqual(items.find(({ id }) => id === 'u0')?.replacedBy, ['u1'], text)
  assert.ok(tokens <= budgetTokens, `${tokens} tokens of ${budgetTokens}`)
  return text
}

const paragraph = (topic: string) => `${`My notes on ${topic} go here. `.repeat(20).trim()}\n\n`

test('an outdated sentence that an excerpt leaves out puts no mark on the others', async (t) => {
  const message = `I live in Linz, near the harbour. ${paragraph('boats')}${paragraph('trams')}My rent is 600 euros.`
  const text = await evidenceFor(t, message, 'Who is in Linz, near the harbour?', 400)
  assert.match(text, /I live in Linz, near the harbour\./)
  assert.doesNotMatch(text, /600 euros/)
  assert.doesNotMatch(text, /since changed/)
})

test('an outdated sentence keeps its mark without its interjection', async (t) => {
  const text = await evidenceFor(t, 'Oh, my rent is 600 euros. I live in Linz.', 'How much is my rent?', 200)
  assert.match(text, /Nils: my rent is 600 euros\. \(since changed\) I live in Linz\.\n/)
})

test('each outdated sentence that is shown is marked, and no other', () => {
  const outdated = ['I pay 600 euros.', 'My desk is in Graz.']
  assert.equal(
    withMarks({ text: 'Nils: I pay 600 euros. So do you. I pay 600 euros.', replacedBy, outdated }),
    'Nils: I pay 600 euros. (since changed) So do you. I pay 600 euros. (since changed)',
  )
  assert.equal(withMarks({ text: 'Nils: I live in Linz.', replacedBy, outdated }), 'Nils: I live in Linz.')
  assert.equal(withMarks({ text: 'Nils: I live in Linz.', replacedBy }), 'Nils: I live in Linz. (since changed)')
})

test('the tokens of an excerpt include the marks of its sentences', async (t) => {
  const place = await memory(t)
  const sentences = Array.from({ length: 6 }, (_, n) => `Room ${n} costs ${n}00 euros.`)
  const text = `Nils: ${sentences.join(' ')} ${paragraph('boats')}${paragraph('trams')}`
  await place.write('utterances', [await row(home, 'u0', text, { speaker: 'Nils' })])
  const [item] = (await recall({ space: home, query: 'Which room costs how much?' }, place)).items
  assert.ok(item)
  const shown = evidenceWithin(1_000, 'Which room costs how much?')({ ...item, replacedBy, outdated: sentences })
  assert.equal(withMarks(shown).match(/since changed/g)?.length, sentences.length)
  assert.ok(shown.tokens >= tokensOf(`1 ${withMarks(shown)}\n`), `${shown.tokens} tokens`)
})
