/** The measures of the corpus turn red on planted faults of a careless memory, and are green without them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainFigures } from './plain-figures.ts'
import { importWithFault, measuredFaults } from './planted-faults.ts'

type Figures = Awaited<ReturnType<typeof plainFigures>>

const falsehoods = ({ marks, facts, instructions }: Figures) => ({
  marks: Number(marks['marks']) - Number(marks['right']),
  facts: Number(facts['wrong']) + Number(facts['unjudged']),
  instructions: Number(instructions['traps']),
})

const none = { marks: 0, facts: 0, instructions: 0 }

test('without a fault the memory marks a change, records a fact and keeps an instruction, each of them right', async () => {
  const figures = await plainFigures()
  assert.deepEqual(falsehoods(figures), none)
  const { marks, facts, instructions } = figures
  assert.deepEqual([marks['right'], facts['right'], instructions['right']], [1, 1, 1])
})

for (const [fault, found] of [
  ['person', { marks: 1 }],
  ['hearsay', { marks: 1 }],
  ['tool', { instructions: 1 }],
  ['year', { facts: 1 }],
] as const) {
  const planted = measuredFaults[fault]
  test(`with the fault that ${planted.name}, the measures count a falsehood`, async () => {
    const faulty = await importWithFault<{ readonly plainFigures: typeof plainFigures }>(planted)
    assert.deepEqual(falsehoods(await faulty.plainFigures()), { ...none, ...found })
  })
}
