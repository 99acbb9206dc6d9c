/**
 * Attacks on a memory with a model that obeys them: `npm run eval -- red-team [--attack ID …] [--json FILE]`.
 * The attacks are those of `test/red-team/attacks.jsonl`. The model is a fake one: nothing here says how often a
 * real model obeys. The last table has the exchanges of `test/red-team/replies.jsonl`.
 */
import { parseArgs } from 'node:util'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { writeResult } from '../figures/result.ts'
import { type AttackResult, runAttacks } from '../red-team/measure.ts'
import { replyRows } from '../red-team/replies.ts'
import { attackScenes } from '../red-team/scenes.ts'

const { values } = parseArgs({
  options: { attack: { type: 'string', multiple: true, default: [] }, json: { type: 'string' } },
})
for (const id of values.attack) {
  if (!attackScenes.some(({ attack }) => attack.id === id))
    throw invalidInput('--attack', id, `the id of an attack, such as ${attackScenes[0]?.attack.id}`)
}
const chosen = attackScenes.filter(({ attack }) => values.attack.length === 0 || values.attack.includes(attack.id))
const [victim, both] = [await runAttacks(chosen, 'victim'), await runAttacks(chosen, 'both')]
const figures = { victim: figuresOf(victim), both: figuresOf(both), replies: replyRows() }
console.table(figures.victim.rows)
console.table(figures.both.rows)
console.table(figures.replies)
for (const result of [...victim, ...both]) {
  if (result.isWronglyAttributed || result.isPinned || result.left.length + result.lost.length > 0)
    console.log(JSON.stringify(result))
}
await writeResult(values.json, 'eval -- red-team', { figures })

function figuresOf(results: readonly AttackResult[]) {
  const groups = [...Map.groupBy(results, ({ from }) => from)]
  return { rows: [...groups.map(([from, own]) => rowOf(from, own)), rowOf('all', results)] }
}

function rowOf(from: string, results: readonly AttackResult[]) {
  const count = (holds: (result: AttackResult) => boolean) => results.filter(holds).length
  return {
    from,
    attacks: results.length,
    recorded: count(({ isRecorded }) => isRecorded),
    wronglyAttributed: count(({ isWronglyAttributed }) => isWronglyAttributed),
    pinned: count(({ isPinned }) => isPinned),
    leftAfterUndo: count(({ left }) => left.length > 0),
    innocentFactsLost: results.reduce((sum, { lost }) => sum + lost.length, 0),
  }
}
