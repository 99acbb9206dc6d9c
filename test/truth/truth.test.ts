/** Falsehoods and outdated values, from a message to a recall by rules; and the faults of a careless memory, which the examples find. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { restate } from '@loomlog/language/restate'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import type { RecallResult } from '@loomlog/recall/recall-result'
import type { RecallRequest } from '@loomlog/recall/request'
import { changes, falsehoods, otherLanguages } from './examples.ts'
import { type Line, type OpenMemory, openMemory, spaceOf } from './memory.ts'
import { planted, plantedFaults } from './planted-faults.ts'

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
}

let memory: OpenMemory
before(async () => {
  memory = await openMemory(spaces)
})
after(() => memory.close())

/** Spaces whose question brings the old value first, or unmarked. */
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
function restated({ at, says }: Line, rules: typeof restate): readonly string[] {
  const [, speaker = '', text = ''] = /^([^:]+): ([\s\S]*)$/.exec(says) ?? []
  const context = { addressee: null, previous: [], participants: [speaker] }
  return rules({ speaker, text, at: Date.parse(`${at}T09:00:00Z`) }, context).map((statement) => statement.text)
}

function falseFacts(factsOf: (line: Line, at: number) => readonly string[]): readonly string[] {
  return falsehoods.flatMap(({ line, never }, at) => factsOf(line, at).filter((text) => never.test(text)))
}

test('the newer value comes first, and the older one names it', async () => {
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

test('habits, negations, hypotheses and code become no false facts', () => {
  assert.deepEqual(
    falseFacts((_, at) => memory.facts(`falsehood-${at}`)),
    [],
  )
})

test('the examples find a rule that dates habits, and one that drops negations', async () => {
  for (const fault of [plantedFaults.habits, plantedFaults.negation]) {
    const { restate: faulty } = await planted<{ readonly restate: typeof restate }>(fault)
    assert.deepEqual(
      falseFacts((line) => restated(line, restate)),
      [],
    )
    assert.notDeepEqual(
      falseFacts((line) => restated(line, faulty)),
      [],
      fault.name,
    )
  }
})

test('the examples find a recall in which the older value wins', async () => {
  type Recall = (request: RecallRequest, options: RecallOptions) => Promise<RecallResult>
  const { recall } = await planted<{ readonly recall: Recall }>(plantedFaults.order)
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
  test(`${ask} finds its answer by words, and no fact is made of a language that the rules don't read`, async () => {
    const { items } = await memory.recall(`other-${at}`, ask)
    assert.equal(items[0]?.id, memory.id(`other-${at}`, line))
    assert.deepEqual(memory.facts(`other-${at}`), [])
  })
}
