import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSeed } from '../../test/seeded-random.ts'
import { lineage, memory, row, utterance } from './fixture.ts'
import { kinds } from './memory.ts'
import { recall } from './recall.ts'
import { modes, type RecallRequest } from './request/request.ts'

const words = ['boat', 'zebra', 'Porto', 'engine', 'tide', 'cat', 'Maya', 'Lisbon']
const spaces = ['acme/home', 'acme/work', 'other/home', 'acme/hom', 'acme/home ', "acme/'home", 'ACME/home', 'a/b%']
const tables = ['utterances', 'boxes', 'facts', 'entries', 'documents'] as const
/** Every text of a space has the mark of the space. */
const markOf = (space: string) => `own${spaces.indexOf(space)}`

function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

test('a recall returns memories of its own spaces only, for random requests and random memories', async (t) => {
  const seed = testSeed()
  t.diagnostic(`LOOMLOG_SEED=${seed}`)
  const chance = random(seed)
  const anyOf = <T>(list: readonly T[]): T => list[chance(list.length)] as T
  const some = <T>(list: readonly T[], most: number) => [
    ...new Set(Array.from({ length: 1 + chance(most) }, () => anyOf(list))),
  ]
  const text = () => Array.from({ length: 1 + chance(4) }, () => anyOf(words)).join(' ')
  const place = await memory(t)
  for (const table of tables) {
    // The same ids in many spaces, so that a mix-up of spaces shows.
    const places = new Map(
      Array.from({ length: 60 }, () => [anyOf(spaces), `${table}${chance(12)}`] as const).map((at) => [
        at.join('|'),
        at,
      ]),
    )
    const rows = [...places.values()].map(([space, id]) => {
      const said = `${text()} ${markOf(space)}`
      const about = { document: `documents${chance(12)}`, title: 'Boats', heading: anyOf(['Home', 'Work']) }
      const fields = { kind: anyOf(['topic', 'profile']), ...about, statement: said, sources: [`${space}|${id}`] }
      return row(space, id, table === 'boxes' ? `Topic\nboat\n${said}` : said, { ...fields, lineage: lineage() })
    })
    await place.write(table, await Promise.all(rows), 1)
  }
  for (let n = 0; n < 40; n++) {
    const space = anyOf(spaces)
    await place.append(utterance(space, `tail${n}`, `${text()} ${markOf(space)}`))
  }
  const shapes: readonly (() => Partial<RecallRequest>)[] = [
    () => ({ limit: 1 + chance(30) }),
    () => ({ limit: 1 + chance(30), kinds: some(kinds, 3) }),
    () => ({ limit: 1 + chance(30), mode: anyOf(modes) }),
    () => ({ budgetTokens: 1 + chance(200), mode: anyOf(modes) }),
  ]
  let found = 0
  for (let n = 0; n < 40; n++) {
    const request = { space: some(spaces, 3), query: text(), ...shapes[n % shapes.length]?.() }
    const { items, leftOut } = await recall(request, place)
    found += items.length
    const label = `${JSON.stringify(request)}: `
    assert.ok(items.length <= (request.limit ?? Number.POSITIVE_INFINITY), label)
    assert.equal(
      new Set(items.map((each) => `${each.space}|${each.kind}|${each.id}`)).size,
      items.length,
      `${label}a memory came twice`,
    )
    for (const each of items) {
      assert.ok(request.space.includes(each.space), label + each.space)
      assert.deepEqual([...new Set(each.text.match(/own\d/g))], [markOf(each.space)], label + each.text)
      const sources = each.kind === 'utterance' ? [] : each.sources
      assert.deepEqual(
        sources.filter((source) => !source.startsWith(`${each.space}|`)),
        [],
        label,
      )
    }
    const scores = items.map((each) => each.score)
    if (request.budgetTokens === undefined)
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
        label,
      )
    else
      assert.ok(
        leftOut.every(({ why }) => why !== 'limit'),
        label,
      )
  }
  assert.ok(found > 0, 'no request found a memory')
})
