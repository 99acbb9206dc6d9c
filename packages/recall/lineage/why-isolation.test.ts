/** Random lineages in spaces that share their ids: no `why` returns anything of another space. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { testSeed } from '../../../test/seeded-random.ts'
import { lineage, memory, row, type TableName, utterance } from '../fixture.ts'
import { type Lineage, why } from './why.ts'

const spaces = ['acme/home', 'acme/hom', 'other/home', "o'h/home"]
/** In the order of the stages. */
const tables: readonly TableName[] = ['utterances', 'boxes', 'facts', 'links', 'entries', 'documents']
const idsPerTable = 3
/** The first seed is fixed. The second is random, and the title of its test names it. */
const seeds = [5, testSeed()]

function drawing(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * below)
  }
}

const mark = (space: string) => `of <${space}>`

/** A view that lacks the tail of its partition may still get the memory. */
function isMissing(error: unknown): boolean {
  return isLoomlogError(error, 'not-found') || isLoomlogError(error, 'views-behind')
}

function all(of: Lineage): readonly Lineage[] {
  return [of, ...of.causes.flatMap(all)]
}

for (const seed of seeds) {
  test(`why returns nothing of another space with the same ids (seed ${seed})`, async (t) => {
    const place = await memory(t)
    const random = drawing(seed)
    const held = new Map(spaces.map((space) => [space, new Set<string>()]))
    const known: string[] = []
    for (const table of tables) {
      const ids = Array.from({ length: idsPerTable }, (_, n) => `${table}${n}`)
      const rows = spaces.flatMap((space) =>
        ids
          .filter(() => random(3) > 0)
          .map((id) => {
            held.get(space)?.add(id)
            const causes = Array.from({ length: 1 + random(3) }, () => known[random(known.length)] ?? 'said')
            const document = `documents${random(idsPerTable)}`
            const words = { topic: mark(space), statement: mark(space) }
            const derived = { document, lineage: lineage(...causes) }
            const fields = table === 'utterances' ? {} : { ...words, ...derived }
            return row(space, id, `${id} ${mark(space)}`, fields)
          }),
      )
      await place.write(table, await Promise.all(rows), 1)
      known.push(...ids)
    }
    // The views have passed these records. The later ones are the tail.
    for (const space of spaces) await place.append(utterance(space, 'passed', mark(space)))
    for (const space of spaces.filter(() => random(2) > 0)) {
      await place.append(utterance(space, 'tail', mark(space)))
      held.get(space)?.add('tail')
    }
    let compared = 0
    for (const space of spaces) {
      for (const id of [...known, 'tail']) {
        if (!held.get(space)?.has(id)) {
          await assert.rejects(why(id, space, place), isMissing, `${id} in ${space}`)
          continue
        }
        for (const each of all(await why(id, space, place))) {
          assert.ok(each.text.includes(mark(space)), `${each.id}, asked for ${id} in ${space}, says ${each.text}`)
          assert.ok(held.get(space)?.has(each.id), `${each.id} is not in ${space}`)
          compared += 1
        }
      }
    }
    t.diagnostic(`${compared} memories compared`)
  })
}
