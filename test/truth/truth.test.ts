/**
 * Tests for falsehoods and outdated values, from a message to a recall, by rules; and planted faults of a careless
 * memory, which the examples must find.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { plainStatements } from '@loomlog/language/plain-statements'
import { restate } from '@loomlog/language/restate'
import { type ContextRequest, contextBlock } from '@loomlog/recall/context-block'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import type { RecallResult } from '@loomlog/recall/recall-result'
import type { RecallRequest } from '@loomlog/recall/request'
import { changes, falsehoods, otherLanguages } from './examples.ts'
import { type Line, type OpenMemory, openMemory, spaceOf } from './memory.ts'
import { importWithFault, plantedFaults } from './planted-faults.ts'

const monday = '2026-03-09'
const code = 'Marcus: The check is:\n```ts\nconst isLate = due < now ? warn(due) : null\n```\nDoes it fit the deadline?'
const spaces: { readonly [space: string]: readonly Line[] } = {
  ...Object.fromEntries(Object.entries(changes).map(([space, { lines }]) => [space, lines])),
  ...Object.fromEntries(falsehoods.map(({ line }, at) => [`falsehood-${at}`, [line]])),
  ...Object.fromEntries(
    otherLanguages.map(({ lines }, at) => [`other-${at}`, lines.map((says) => ({ at: monday, says }))]),
  ),
  packed: [
    { at: monday, says: 'Priya: Atlas is due on 3 April, and the audit on 20 April.' },
    { at: monday, says: code },
  ],
  retracted: [
    { at: monday, says: 'Ann: I live in Porto.' },
    { at: '2026-03-10', says: 'Ann: The flat in Lisbon has a balcony.' },
  ],
  homes: [
    { at: monday, says: 'Maya: I live in Lisbon. I like trams.' },
    { at: '2026-03-20', says: 'Maya: I am looking at flats in Porto. My sister Lena lives in Porto.' },
    { at: '2026-04-20', says: 'Maya: Good morning from the north! I moved to Porto last week.' },
  ],
  'two-matters': [
    { at: monday, says: 'Nils: I live in Graz.' },
    { at: '2026-03-20', says: 'Nils: I moved to Linz yesterday. The rent is 600 euros. It has a tiny balcony.' },
    { at: '2026-04-20', says: 'Nils: They raised the rent from 600 to 650 euros.' },
  ],
  'two-homes-and-rents': [
    { at: monday, says: 'Nils: I live in Graz.' },
    { at: '2026-03-20', says: 'Nils: I moved to Linz yesterday. The rent is 600 euros.' },
    { at: '2026-04-20', says: 'Nils: They raised the rent from 600 to 650 euros.' },
  ],
  'two-matters-of-one-message': [
    { at: '2026-03-20', says: 'Nils: I moved to Linz yesterday. The rent is 600 euros.' },
    { at: '2026-04-20', says: 'Nils: They raised the rent from 600 to 650 euros.' },
  ],
  instructed: [
    { at: monday, says: 'Ann: Always show code with comments.' },
    { at: monday, says: 'Scout: I will.', role: 'agent' },
    { at: monday, says: 'Ann: Never mind! I have a dog named Rex.' },
    { at: '2026-03-20', says: 'Ann: The release of Atlas is planned for the end of May, and the audit for June.' },
  ],
  'partly-instructed': [
    { at: monday, says: 'Ann: Always answer questions in plain English. Always use tabs.' },
    { at: monday, says: 'Ann: My desk is brown. Always use semicolons.' },
    { at: monday, says: 'Scout: I will.', role: 'agent' },
    { at: '2026-03-20', says: 'Ann: From now on always use spaces instead of tabs.' },
    { at: '2026-03-20', says: 'Ann: From now on always use commas instead of semicolons.' },
  ],
  asked: [
    { at: monday, says: 'Ann: My boat is in Porto.' },
    { at: '2026-03-10', says: 'Ben: Where is my boat?' },
    { at: '2026-03-10', says: 'Ben: The boat of mine is red.' },
  ],
}

let memory: OpenMemory
before(async () => {
  memory = await openMemory(spaces)
})
after(() => memory.close())

/** Spaces whose recall lacks the current value, or has the old one before it or without a mark. */
async function outdatedAnswers(recall: OpenMemory['recall']): Promise<readonly string[]> {
  const outdated: string[] = []
  for (const [space, { ask, old, current }] of Object.entries(changes)) {
    const { items } = await recall(space, ask)
    const ids = items.map(({ id }) => id)
    const [oldAt, currentAt] = [ids.indexOf(memory.id(space, old)), ids.indexOf(memory.id(space, current))]
    const isMarked = oldAt < 0 || items[oldAt]?.replacedBy?.includes(memory.id(space, current))
    if (currentAt < 0 || (oldAt >= 0 && oldAt < currentAt) || !isMarked) outdated.push(space)
  }
  return outdated
}

/** The facts of one line, by the rules. */
function factsOfLine({ at, says }: Line, rules: typeof restate): readonly string[] {
  const [, speaker = '', text = ''] = /^([^:]+): ([\s\S]*)$/.exec(says) ?? []
  const context = { addressee: null, previous: [], participants: [speaker] }
  return rules({ speaker, text, at: Date.parse(`${at}T09:00:00Z`) }, context).map((statement) => statement.text)
}

function falseFacts(factsOf: (line: Line, at: number) => readonly string[]): readonly string[] {
  return falsehoods.flatMap(({ line, never }, at) => factsOf(line, at).filter((text) => never.test(text)))
}

test('the newer value comes first, and the older one names its replacement', async () => {
  assert.deepEqual(await outdatedAnswers(memory.recall), [])
})

test('a move changes the home, regardless of the date of the move', () => {
  for (const space of ['home-next-day', 'home-weeks-later']) {
    const replaced = memory.replacements(space)
    assert.ok(replaced.length > 0, space)
    for (const { old, current } of replaced)
      assert.deepEqual([old, current], ['Sofia lives in Graz.', 'Sofia lives in Linz.'])
  }
})

test('habits, negations, hypotheses and code give no false facts', () => {
  assert.deepEqual(
    falseFacts((_, at) => memory.facts(`falsehood-${at}`)),
    [],
  )
})

test('the examples find a rule that dates habits, and one that drops negations', async () => {
  const found = (rules: typeof restate) => falseFacts((line) => factsOfLine(line, rules))
  for (const fault of [plantedFaults.habits, plantedFaults.negation]) {
    const { restate: faulty } = await importWithFault<{ readonly restate: typeof restate }>(fault)
    assert.ok(found(faulty).length > found(restate).length, fault.name)
  }
})

test('the examples find rules without a guard against irony, and without one against a date a year off', async () => {
  type Rules = { readonly plainStatements: typeof plainStatements }
  const found = (rules: typeof plainStatements) =>
    falseFacts((line) => factsOfLine(line, (utterance, context) => rules(utterance, context, null)))
  assert.deepEqual(found(plainStatements), [])
  for (const fault of [plantedFaults.irony, plantedFaults.year]) {
    const faulty = await importWithFault<Rules>(fault)
    assert.notDeepEqual(found(faulty.plainStatements), [], fault.name)
  }
})

test('the examples find a recall in which the older value wins', async () => {
  type Recall = (request: RecallRequest, options: RecallOptions) => Promise<RecallResult>
  const { recall } = await importWithFault<{ readonly recall: Recall }>(plantedFaults.order)
  const faulty: OpenMemory['recall'] = (space, query, request) =>
    memory.withOptions((options) => recall({ space: spaceOf(space), query, ...request }, options))
  assert.notDeepEqual(await outdatedAnswers(faulty), [])
})

test('within a budget, as of a time, evidence comes as utterances, and code is not cut', async () => {
  const request = { budgetTokens: 300, asOf: { trueAt: Date.UTC(2026, 3, 1) } }
  const { items, text } = await memory.recall('packed', 'Which check is there for the deadline of Atlas?', request)
  assert.deepEqual(new Set(items.map(({ kind }) => kind)), new Set(['utterance']))
  assert.ok(text.includes('const isLate = due < now ? warn(due) : null'), text)
})

for (const [at, { ask, at: line }] of otherLanguages.entries()) {
  test(`${ask} finds its answer by words, and no fact is derived from a language that the rules don't read`, async () => {
    const { items } = await memory.recall(`other-${at}`, ask)
    assert.equal(items[0]?.id, memory.id(`other-${at}`, line))
    assert.deepEqual(memory.facts(`other-${at}`), [])
  })
}

test('the utterance with the current value comes first', async () => {
  const { items } = await memory.recall('homes', 'Where does Maya live?')
  assert.deepEqual(
    items.slice(0, 2).map(({ id, replacedBy }) => [id, replacedBy?.length ?? 0]),
    [
      ['homes-2', 0],
      ['homes-0', 1],
    ],
  )
})

test('of a message with two matters, only the sentence that changed is marked, and the other one still holds', async () => {
  const { items, text } = await memory.recall('two-matters', 'Where does Nils live?', { budgetTokens: 200 })
  const replacedBy = Object.fromEntries(items.map(({ id, replacedBy = [] }) => [id, replacedBy]))
  assert.deepEqual(replacedBy, {
    'two-matters-0': ['two-matters-1'],
    'two-matters-1': ['two-matters-2'],
    'two-matters-2': [],
  })
  assert.match(text, /I moved to Linz yesterday\. The rent is 600 euros\. \(since changed\) It has a tiny balcony\.\n/)
  const request = { space: spaceOf('two-matters'), query: 'Where does Nils live?' }
  const block = await memory.withOptions((options) => contextBlock(request, options))
  assert.match(block.text, /^Holds now\n1 Nils lives in Linz\./)
})

test('of a message with two matters, the newer value of one comes first only if the question is about it', async () => {
  for (const [space, older] of [
    ['two-matters', 1],
    ['two-homes-and-rents', 1],
    ['two-matters-of-one-message', 0],
  ] as const) {
    const first = async (query: string) => (await memory.recall(space, query)).items[0]?.id
    assert.equal(await first('Where does Nils live?'), memory.id(space, older))
    assert.equal(await first('How much is the rent?'), memory.id(space, older + 1))
    const { text } = await contextOf(space, { query: 'Where does Nils live?' })
    assert.match(text, /^Holds now\n1 Nils lives in Linz\./)
    assert.match(text, / I moved to Linz yesterday\. The rent is 600 euros\. \(since changed\)/)
  }
})

test('a question that is in the memory is no evidence for itself', async () => {
  const { items } = await memory.recall('asked', 'Where is my boat?')
  assert.ok(items.some(({ id }) => id === 'asked-0'))
  assert.ok(!items.some(({ id }) => id === 'asked-1'))
})

test('the last utterances of a conversation are left out, in the log tail too', async () => {
  const excludeLast = [{ conversation: 'asked', count: 2 }]
  const idsOf = async () => (await memory.recall('asked', 'the boat', { excludeLast })).items.map(({ id }) => id)
  assert.deepEqual(await idsOf(), ['asked-0'])
  await memory.append('asked', [{ at: '2026-03-11', says: 'Ann: The boat leaks.' }])
  assert.deepEqual((await idsOf()).toSorted(), ['asked-0', 'asked-1'])
})

const contextOf = (space: string, request: Omit<ContextRequest, 'space'>) =>
  memory.withOptions((options) => contextBlock({ space: spaceOf(space), ...request }, options))

test('a context begins with current entries and their dates, and its evidence follows in the order of time', async () => {
  const { items, text } = await contextOf('homes', { query: 'Where does Maya live?' })
  assert.match(text, /^Holds now\n1 Maya lives in Porto\. \(since 13 Apr 2026\)\n/)
  assert.ok(!text.includes('Maya lives in Lisbon'), text)
  assert.match(text, /\nAs spoken\n9 Mar 2026\n\d Maya: I live in Lisbon\. \(since changed\) I like trams\.\n/)
  assert.deepEqual(items[0]?.sources, ['homes-2'])
  for (const { id, sources } of items) assert.ok(sources.length > 0, id)
})

test('a standing instruction is in every context; small talk is no instruction', async () => {
  for (const query of ['When is the release of Atlas?', undefined]) {
    const { text, items } = await contextOf('instructed', { ...(query && { query }) })
    assert.match(text, /^Standing instructions\n1 Ann: Always show code with comments\.\n/)
    assert.equal(items.filter(({ part }) => part === 'instruction').length, 1)
  }
})

test('a standing instruction stays in the context without its sentence that a later one changes', async () => {
  const { items, text } = await contextOf('partly-instructed', { query: 'Which language?' })
  assert.match(text, /^Standing instructions\n1 Ann: Always answer questions in plain English\.\n/)
  assert.deepEqual(
    items.flatMap(({ id, part }) => (part === 'instruction' ? [id] : [])),
    [0, 3, 4].map((line) => memory.id('partly-instructed', line)),
  )
})

test('without a question, outdated utterances of a context are marked too', async () => {
  const { text } = await contextOf('two-matters', {})
  assert.match(text, /The rent is 600 euros\. \(since changed\) It has a tiny balcony\.\n/)
})

test('excluded utterances, and entries that are derived from these alone, are in no part of a context', async () => {
  const moved = await contextOf('homes', { query: 'Where does Maya live?', exclude: ['homes-2'] })
  assert.ok(!moved.text.includes('Maya lives in Porto'), moved.text)
  const instructed = await contextOf('instructed', { exclude: ['instructed-0'] })
  assert.ok(!instructed.text.includes('Always show code'), instructed.text)
})

test('an utterance that only repeats an entry above it is left out', async () => {
  const { items } = await contextOf('diet', { query: 'Is Igor a vegetarian?' })
  const holding = items.find(({ part }) => part === 'holds')
  assert.equal(holding?.text, 'Igor is no longer a vegetarian. (said 15 Jun 2026)')
  assert.ok(!items.some(({ part, id }) => part === 'evidence' && id === 'diet-1'))
})

test('a context keeps to its budget', async () => {
  for (const budgetTokens of [1, 10, 30, 60, 120]) {
    for (const query of ['Where does Maya live?', undefined]) {
      const { tokens, text } = await contextOf('homes', { budgetTokens, ...(query && { query }) })
      assert.ok(tokens <= budgetTokens, `${tokens} of ${budgetTokens}: ${text}`)
    }
  }
})

test('an utterance is marked once its facts are retracted, and comes after the others', async () => {
  await memory.retractFactsOf('retracted', 0)
  const { items, text } = await memory.recall('retracted', 'Where does Ann live, in Porto or in a flat in Lisbon?')
  assert.deepEqual(
    items.map(({ id, retractedBy }) => [id, retractedBy?.length ?? 0]),
    [
      ['retracted-1', 0],
      ['retracted-0', 1],
    ],
  )
  assert.match(text, /Ann: I live in Porto\. \(retracted\)\n/)
  const context = await contextOf('retracted', { query: 'Where does Ann live?' })
  assert.ok(!context.items.some(({ part, text }) => part === 'holds' && text.includes('Porto')))
  assert.match((await contextOf('retracted', {})).text, /I live in Porto\. \(retracted\)\n/)
})
