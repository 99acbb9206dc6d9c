import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row, utterance } from '../fixture.ts'
import { checkRequest } from '../request/request.ts'
import { memoizedTail } from '../search/log-tail.ts'
import { contextBlock } from './context-block.ts'
import { standingInstructions } from './standing-instructions.ts'

const home = 'acme/home'
type TestMemory = Awaited<ReturnType<typeof memory>>

const instructionsIn = async (place: TestMemory, query?: string) => {
  const { items } = await contextBlock({ space: home, budgetTokens: 100_000, ...(query && { query }) }, place)
  return items.flatMap(({ part, id }) => (part === 'instruction' ? [id] : []))
}

test('an instruction is in the context as soon as it is appended, if an agent takes part in its conversation', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'Always show code with comments.'))
  assert.deepEqual(await instructionsIn(place), [])
  await place.append({ ...utterance(home, 'u2', 'I will.'), role: 'agent', speaker: 'Bot' })
  await place.append({ ...utterance(home, 'u3', 'Never use tabs.'), conversation: 'of people' })
  assert.deepEqual(await instructionsIn(place), ['u1'])
  assert.deepEqual(await instructionsIn(place, 'Which tea is it?'), ['u1'])
})

test('the instructions of many conversations are in the context, beside many other messages with their words', async (t) => {
  const place = await memory(t)
  const said = Array.from({ length: 60 }, (_, n) => {
    const conversation = `c${n}`
    const fields = { conversation, at: n, vector: null }
    const small = Array.from({ length: 4 }, (_, at) =>
      row(home, `s${n} ${at}`, 'Ada: Now I want to ask, I want it now.', { ...fields, offset: 1_000 + n * 4 + at }),
    )
    return [
      row(home, `i${n}`, `Ada: Always begin the answers of part ${n} with a summary.`, { ...fields, offset: n }),
      row(home, `a${n}`, 'Bot: Fine.', { ...fields, speaker: 'Bot', role: 'agent', offset: 100 + n }),
      ...small,
    ]
  })
  await place.write('utterances', await Promise.all(said.flat()))
  assert.equal((await instructionsIn(place)).length, 60)
})

test('agents are looked for in the newest conversations only, and the newest instructions are kept', async (t) => {
  const place = await memory(t)
  const conversations = 210
  const said = Array.from({ length: conversations }, (_, n) => {
    const fields = { conversation: `c${n}`, at: n, vector: null }
    return [
      row(home, `i${n}`, `Ada: Always begin the answers of part ${n} with a summary.`, { ...fields, offset: n }),
      row(home, `a${n}`, 'Bot: Fine.', { ...fields, speaker: 'Bot', role: 'agent', offset: 1_000 + n }),
    ]
  })
  const inOne = Array.from({ length: 300 }, (_, n) => {
    const text = `Ada: Never end the answers of part ${n} with a question.`
    return row(home, `n${n}`, text, { conversation: 'c209', at: 1_000 + n, vector: null, offset: 2_000 + n })
  })
  await place.write('utterances', await Promise.all([...said.flat(), ...inOne]))
  const { scope } = checkRequest({ space: home, query: '-', budgetTokens: 1 }, place.views.tables)
  const count = t.mock.method(place.views, 'count')
  const found = await standingInstructions({ space: home, scope, tail: memoizedTail(home, place) }, place)
  assert.deepEqual([count.mock.callCount(), found.length], [200, 200])
  assert.equal(found[0]?.id, 'n299')
})
