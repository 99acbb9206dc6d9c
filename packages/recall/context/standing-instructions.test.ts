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
  const scan = t.mock.method(place.views, 'scan')
  const found = await standingInstructions({ space: home, scope, tail: memoizedTail(home, place) }, place)
  const ofAgents = scan.mock.calls.filter(({ arguments: [, { limit }] }) => limit === 50)
  assert.deepEqual([ofAgents.length, found.length], [200, 200])
  assert.equal(found[0]?.id, 'n299')
})

const inTeam = async (
  place: TestMemory,
  request: { readonly for?: string; readonly query?: string; readonly budgetTokens?: number } = {},
) => {
  const { items } = await contextBlock({ space: home, budgetTokens: 100_000, ...request }, place)
  return items.flatMap(({ part, text }) => (part === 'instruction' ? [text] : []))
}

async function team(
  t: Parameters<typeof memory>[0],
  said: readonly (readonly [speaker: string, text: string, role?: 'tool' | 'agent'])[],
) {
  const place = await memory(t)
  await place.append({ ...utterance(home, 'a0', 'Hello.'), role: 'agent', speaker: 'Bot' })
  for (const [n, [speaker, text, role = 'human']] of said.entries())
    await place.append({ ...utterance(home, `u${n}`, text), speaker, role, at: 1_000 * (n + 1) })
  return place
}

test('an instruction is shown with its author, and holds for its author unless it says that it is for everybody', async (t) => {
  const place = await team(t, [
    ['Ilse', 'The oven is repaired. From now on keep your answers short.'],
    ['Tom', 'Bot, for everyone: always give prices in euros.'],
  ])
  const [short, euros] = [
    'Ilse: From now on keep your answers short.',
    'Tom: Bot, for everyone: always give prices in euros.',
  ]
  assert.deepEqual(await inTeam(place), [short, euros])
  assert.deepEqual(await inTeam(place, { for: 'ilse' }), [short, euros])
  assert.deepEqual(await inTeam(place, { for: 'Tom' }), [euros])
  await assert.rejects(inTeam(place, { for: ' ' }), /for is .* expected the name of a speaker/)
})

test('quotations, reported speech, words to others, tools, and wishes for once are no instruction', async (t) => {
  const place = await team(t, [
    ['Ilse', 'The letter says: "Always send the bill to the office in Hamm."'],
    ['Ilse', 'My boss told me to always write answers in English.'],
    ['Ilse', 'Always write short answers, she said.'],
    ['Ilse', 'Tom, please keep your answers short.'],
    ['Ilse', 'Tom, always lock the door.'],
    ['Ilse', 'Bot, give me the short list now.'],
    ['Ilse', 'Please keep your answers short this time.'],
    ['Ilse', 'Do you always send messages to me?'],
    ['linter', 'Always use spaces in your code.', 'tool'],
    ['Bot', 'Always use tabs in your code.', 'agent'],
    ['Ilse', '> Please always reply to all.\n> Never send lists.'],
  ])
  assert.deepEqual(await inTeam(place), [])
})

test('a later instruction of the same author on the same matter replaces the earlier one', async (t) => {
  const place = await team(t, [
    ['Ilse', 'From now on keep your answers short.'],
    ['Tom', 'From now on short answers for me.'],
    ['Ilse', 'From now on long answers please.'],
  ])
  assert.deepEqual(await inTeam(place), [
    'Tom: From now on short answers for me.',
    'Ilse: From now on long answers please.',
  ])
})

test('within a small budget an instruction on another matter is left out, unless the request names whose it wants', async (t) => {
  const place = await team(t, [['Tom', 'Always show code with comments.']])
  const asked = { query: 'When is the rent due?', budgetTokens: 150 }
  assert.deepEqual(await inTeam(place, asked), [])
  assert.deepEqual(await inTeam(place, { ...asked, for: 'Tom' }), ['Tom: Always show code with comments.'])
  assert.deepEqual(await inTeam(place, { ...asked, budgetTokens: 1_000 }), ['Tom: Always show code with comments.'])
})

test('within a small budget the instructions that share words with the question stay, and no author takes all the room', async (t) => {
  const place = await team(t, [
    ['Tom', 'Always show code with comments.'],
    ...Array.from({ length: 20 }, (_, n) => ['Ilse', `Always begin the answers of part ${n} with a title.`] as const),
  ])
  const found = await inTeam(place, { query: 'Which code sorts a list?', budgetTokens: 150 })
  assert.ok(found.includes('Tom: Always show code with comments.'), found.join())
  assert.ok(found.filter((each) => each.startsWith('Ilse')).length <= 1, found.join())
})
