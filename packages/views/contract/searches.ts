/** Searches: complete within the space and its conditions, for any text that people type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, equals, isNull, or } from '../condition.ts'
import type { Scan, WritableShard } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { type FactRow, facts as table } from '../tables/facts.ts'
import { type Random, seeded } from './seeded.ts'
import { cosineError, type Setup, testRow, testSpace, testVectors } from './setup.ts'

type TestRow = StoredRow<FactRow>

async function fill(shard: WritableShard, rows: readonly TestRow[]): Promise<void> {
  const from = (await shard.watermark(table)).offset
  const changes = rows.map((row, index) => ({ kind: 'put', row: { ...row, offset: from + index } }) as const)
  await shard.apply({ table, changes, watermark: from + rows.length })
}

function randomRows(count: number, random: Random): TestRow[] {
  return Array.from({ length: count }, (_, index) => {
    const words = Array.from({ length: 3 + random(15) }, () => `w${random(1 + random(300))}`)
    // Few rows in most spaces, many in some, and a few removed ones.
    const fields = {
      space: `acme/s${random(1 + random(12))}`,
      text: words.join(' '),
      deleted: random(20) === 0,
    }
    const vector = Float32Array.from({ length: testVectors.dimensions }, () => random(1_000) / 1_000 - 0.5)
    return testRow(`r${index}`, index, { ...fields, vector })
  })
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

async function compareWithBruteForce(shard: WritableShard, rows: readonly TestRow[], phase: string): Promise<void> {
  for (let space = 0; space < 12; space += 1) {
    const here = rows.filter((row) => row.space === `acme/s${space}` && !row.deleted)
    for (const query of ['w0', 'w150', 'w298 w299 w297']) {
      const words = query.split(' ')
      const wanted = here.filter((row) => row.text.split(' ').some((word) => words.includes(word))).map((row) => row.id)
      const all = await shard.fullText(table, { space: `acme/s${space}`, query, limit: rows.length })
      assert.deepEqual(all.map((hit) => hit.row.id).sort(), wanted.sort(), `${phase}: ${query} in s${space}`)
      const few = await shard.fullText(table, { space: `acme/s${space}`, query, limit: 3 })
      assert.equal(few.length, Math.min(3, wanted.length), `${phase}: 3 of ${query} in s${space}`)
      // Rows of equal scores may replace each other.
      assert.deepEqual(
        few.map((hit) => hit.score.toFixed(3)),
        all.slice(0, 3).map((hit) => hit.score.toFixed(3)),
      )
    }
    const vector = rows[space]?.vector ?? new Float32Array(8)
    const nearest = here
      .map((row) => ({ id: row.id, score: row.vector ? cosine(vector, row.vector) : -1 }))
      .sort((a, b) => b.score - a.score)
    const hits = await shard.nearest(table, { space: `acme/s${space}`, vector, limit: 10 })
    assert.equal(hits.length, Math.min(10, here.length))
    const exact = new Map(nearest.map(({ id, score }) => [id, score]))
    for (const [place, { row, score }] of hits.entries()) {
      const where = `${phase}: near in s${space}, place ${place}`
      assert.ok(Math.abs(score - (exact.get(row.id) ?? Infinity)) < cosineError, where)
      assert.ok(Math.abs(score - (nearest[place]?.score ?? Infinity)) < cosineError, where)
    }
  }
}

export function searchesContract(setup: Setup): void {
  test('filtered searches find what brute force finds: unindexed, indexed, in between, and after updates', async (t) => {
    const shard = await setup.shard(t)
    const random = seeded(7)
    const rows = randomRows(600, random)
    await fill(shard, rows.slice(0, 300))
    await compareWithBruteForce(shard, rows.slice(0, 300), 'unindexed')
    await shard.optimize()
    await compareWithBruteForce(shard, rows.slice(0, 300), 'indexed')
    for (let from = 300; from < 600; from += 50) await fill(shard, rows.slice(from, from + 50))
    await compareWithBruteForce(shard, rows, 'partly indexed')
    const updated = randomRows(100, random)
    // The same ids in the same spaces, with other words and vectors.
    const rewritten = rows.map((row, index) => ({
      ...row,
      text: updated[index]?.text ?? row.text,
      vector: updated[index]?.vector ?? row.vector,
    }))
    await fill(shard, rewritten.slice(0, 100))
    await compareWithBruteForce(shard, rewritten, 'updated')
    await shard.optimize()
    await compareWithBruteForce(shard, rewritten, 'updated and indexed')
    await shard.close()
  })

  test('better matches in other spaces take no places in the result', async (t) => {
    const shard = await setup.shard(t)
    const loud = Array.from({ length: 80 }, (_, index) =>
      testRow(`loud${index}`, 0, { space: 'acme/loud', text: 'tea tea tea' }),
    )
    const quiet = Array.from({ length: 5 }, (_, index) =>
      testRow(`quiet${index}`, 0, { text: 'some cups of tea and other things' }),
    )
    await fill(shard, [...loud, ...quiet])
    for (const phase of ['unindexed', 'indexed']) {
      const hits = await shard.fullText(table, { space: testSpace, query: 'tea', limit: 5 })
      assert.deepEqual(
        hits.map((hit) => hit.row.id),
        quiet.map((row) => row.id),
        phase,
      )
      await shard.optimize()
    }
    await shard.close()
  })

  test('every query is text to look for and never syntax', async (t) => {
    const shard = await setup.shard(t)
    await fill(shard, [testRow('a', 0, { text: 'the cat sat on the mat' }), testRow('b', 0, { text: 'dogs' })])
    const found = async (query: string) =>
      (await shard.fullText(table, { space: testSpace, query, limit: 9 })).map((hit) => hit.row.id)
    for (const phase of ['unindexed', 'indexed']) {
      for (const query of [
        'cat',
        '+cat',
        '-cat',
        '"cat"',
        'cat"',
        '(cat',
        'text:cat',
        'cat AND dogz',
        'cat*',
        "cat'; --",
        '\u0000cat',
        'cat \ud800',
      ]) {
        assert.deepEqual(await found(query), ['a'], `${phase}: ${JSON.stringify(query)}`)
      }
      assert.deepEqual(await found('{"match":{"terms":"cat"}'), ['a'], phase)
      for (const query of ['', ' \n', '*', '"', '()', '😀', '-', '\ud800', 'unheard', 'AND OR NOT'])
        assert.deepEqual(await found(query), [], `${phase}: ${JSON.stringify(query)}`)
      assert.deepEqual(await found(`cat ${'x'.repeat(100_000)}`), ['a'])
      assert.deepEqual(await found('cat '.repeat(25_000)), ['a'])
      await shard.optimize()
    }
    await shard.close()
  })

  test('words are found in other scripts, by stem, without accents, and in the parts of names', async (t) => {
    const shard = await setup.shard(t)
    const texts = [
      '我们昨天在北京吃了火锅',
      'Привет как дела друзья',
      'مرحبا بالعالم',
      'สวัสดีครับผมชื่อสมชาย',
      'naïve café',
      'running late',
      'foo_bar-baz v0.39.1',
      'The Who',
    ]
    await fill(
      shard,
      texts.map((text, index) => testRow(`${index}`, index, { text })),
    )
    const queries = ['北京', 'Друзья', 'بالعالم', 'ชื่อ', 'cafe', 'run', 'bar', 'who']
    for (const phase of ['unindexed', 'indexed']) {
      for (const [index, query] of queries.entries()) {
        const hits = await shard.fullText(table, { space: testSpace, query, limit: 9 })
        assert.deepEqual(
          hits.map((hit) => hit.row.text),
          [texts[index]],
          `${phase}: ${query}`,
        )
      }
      await shard.optimize()
    }
    await shard.close()
  })

  test('names with quotes and other syntax are only names', async (t) => {
    const shard = await setup.shard(t)
    const names = [
      "O'Hara",
      "'",
      "''",
      '\\',
      "\\'",
      '"',
      '`',
      '%',
      '_',
      '--',
      "x' OR '1'='1",
      '\n',
      '\u0000',
      '{}',
      'ä',
      '😀',
    ]
    await fill(
      shard,
      names.map((name, index) => testRow(name, index, { speaker: name, space: `acme/${name}` })),
    )
    for (const name of names) {
      const space = `acme/${name}`
      assert.deepEqual(
        (await shard.byIds(table, space, [name])).map((row) => row.id),
        [name],
        JSON.stringify(name),
      )
      const rows = await shard.scan(table, { space, where: equals('speaker', name), limit: 99 })
      assert.deepEqual(
        rows.map((row) => row.speaker),
        [name],
        JSON.stringify(name),
      )
    }
    await shard.close()
  })

  test('a zero vector is near nothing, and nothing is near it; neither are rows without one', async (t) => {
    const shard = await setup.shard(t)
    await fill(shard, [
      testRow('zero', 0, { vector: new Float32Array(8) }),
      testRow('none', 0, { vector: null }),
      testRow('some', 0),
    ])
    const nearest = async (vector: Float32Array) =>
      (await shard.nearest(table, { space: testSpace, vector, limit: 9 })).map((hit) => hit.row.id)
    assert.deepEqual(await nearest(Float32Array.from({ length: 8 }, () => 1)), ['some'])
    assert.deepEqual(await nearest(new Float32Array(8)), [])
    await shard.close()
  })

  test('a scan filters, orders, skips and limits; rows without a value come last', async (t) => {
    const shard = await setup.shard(t)
    await fill(shard, [
      testRow('a', 0, { seq: 2, at: 5 }),
      testRow('b', 0, { seq: 1, at: null }),
      testRow('c', 0, { seq: 1, ordinal: 1, at: 9, lineage: null }),
    ])
    const ids = async (search: Omit<Scan<typeof table>, 'space'>) =>
      (await shard.scan(table, { space: testSpace, ...search })).map((row) => row.id)
    assert.deepEqual(await ids({ limit: 9 }), ['b', 'c', 'a'])
    assert.deepEqual(await ids({ limit: 2 }), ['b', 'c'])
    assert.deepEqual(await ids({ limit: 2, skip: 1 }), ['c', 'a'])
    assert.deepEqual(await ids({ limit: 2, skip: 3 }), [])
    assert.deepEqual(await ids({ limit: 9, orderBy: [{ by: 'at', direction: 'descending' }] }), ['c', 'a', 'b'])
    assert.deepEqual(await ids({ limit: 9, where: or(isNull('at'), after('at', 6)) }), ['b', 'c'])
    assert.deepEqual(await ids({ limit: 9, where: isNull('lineage') }), ['c'])
    assert.equal(await shard.count(table, { space: testSpace, where: equals('seq', 1) }), 2)
    assert.deepEqual(await ids({ limit: 0 }), [])
    await shard.close()
  })
}
