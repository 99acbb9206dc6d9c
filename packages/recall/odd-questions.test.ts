import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextBlock } from './context/context-block.ts'
import { memory, row } from './fixture.ts'
import { recall } from './recall.ts'

const home = 'acme/home'
const questions = ['What about her?', 'x', 'I', 'the', 'is it?', '?', '...', '—', '🙂', '日', 'を', '0', 'Which city?']
const said = ['I live in Porto.', 'Good luck there!', '!', '🙂', '日', 'the', 'a b c', '42', 'x', 'Her boat is blue.']
const axis = (at: number) => new Float32Array(8).map((_, n) => Number(n === at))
/** No message is near a question. */
const embed = async (texts: readonly string[]) => texts.map(() => axis(0))

test('every question finds evidence with finite scores, also where no message has a word or a meaning of it', async (t) => {
  for (const count of [1, 2, 10]) {
    const stored = await memory(t)
    const place = { ...stored, embedder: { ...stored.embedder, embed } }
    const rows = said.slice(0, count).map((text, n) => {
      return row(home, `u${n}`, `Ada: ${text}`, { conversation: `c${n % 2}`, at: n, offset: n, vector: axis(1) })
    })
    await place.write('utterances', await Promise.all(rows))
    for (const query of questions) {
      const name = `${query} among ${count}`
      const { items } = await recall({ space: home, query }, place)
      assert.equal(items.length, count, name)
      for (const { id, score } of items) assert.ok(Number.isFinite(score), `${name}: ${id} has ${score}`)
      const within = await recall({ space: home, query, budgetTokens: 500 }, place)
      const context = await contextBlock({ space: home, query, budgetTokens: 500 }, place)
      for (const { text } of [within, context]) assert.match(text, /Ada: /, `${name}: within a budget`)
    }
  }
})
