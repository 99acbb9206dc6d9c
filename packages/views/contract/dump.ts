/** The canonical dump: a function of the changes alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowChange } from '../change.ts'
import { dumpTable } from '../dump.ts'
import type { WritableShard } from '../port.ts'
import { type FactRow, facts as table } from '../tables/facts.ts'
import { type Setup, testRow } from './setup.ts'

async function dump(shard: WritableShard): Promise<string[]> {
  const lines: string[] = []
  for await (const line of dumpTable(shard, table)) lines.push(line)
  return lines
}

export function dumpContract(setup: Setup): void {
  test('the dump does not depend on offsets, log times, batches and maintenance', async (t) => {
    const changesFrom = (base: number): RowChange<FactRow>[] => {
      const row = (id: string, offset: number, space = 'acme/b') =>
        testRow(id, base + offset, { space, seq: offset, at: offset, knownFrom: base * 7 })
      return [
        ...['z', 'a', 'é', 'A'].map((id, index): RowChange<FactRow> => ({ kind: 'put', row: row(id, index) })),
        { kind: 'put', row: row('m', 4, 'acme/a') },
        { kind: 'patch', space: 'acme/b', id: 'z', fields: { validTo: 5, knownTo: base }, offset: base + 5 },
        { kind: 'remove', space: 'acme/b', id: 'a', offset: base + 6 },
      ]
    }
    const whole = await setup.shard(t)
    await whole.apply({ table, changes: changesFrom(0), watermark: 7 })
    const parts = await setup.shard(t)
    for (const [index, change] of changesFrom(100).entries())
      await parts.apply({ table, changes: [change], watermark: 101 + index })
    await parts.optimize()
    const lines = await dump(whole)
    assert.deepEqual(lines, await dump(parts))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      ['m', 'A', 'a', 'z', 'é'],
    )
    assert.equal(lines[2], '{"deleted":true,"id":"a","space":"acme/b"}')
    assert.match(lines[3] ?? '', /"validTo":5/)
    assert.doesNotMatch(lines.join(), /offset|known|vector|#watermark/)
    await Promise.all([whole.close(), parts.close()])
  })

  test('a dump of more rows than one batch holds is complete and in order', async (t) => {
    const shard = await setup.shard(t)
    const rows = Array.from({ length: 3_000 }, (_, index) =>
      testRow(String(index).padStart(5, '0'), index, { space: `acme/s${index % 3}` }),
    )
    await shard.apply({ table, changes: rows.map((row) => ({ kind: 'put', row })), watermark: rows.length })
    const keys = (await dump(shard)).map((line) => JSON.parse(line)).map(({ space, id }) => `${space}/${id}`)
    assert.deepEqual(keys, rows.map((row) => `${row.space}/${row.id}`).sort())
    await shard.close()
  })
}
