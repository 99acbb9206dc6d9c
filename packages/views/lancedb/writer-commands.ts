/**
 * For damage.test.ts: commands of a writer and a reader of one shard, each with its outcome: `ok`, or the code and
 * message of its error.
 */
import type { RowChange } from '../change.ts'
import { testRow, testShard, testSpace } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { lanceStore } from './store.ts'

export async function writerCommands(views: string): Promise<(name: string) => Promise<string>> {
  const store = lanceStore(views)
  const writer = await store.write(testShard)
  const reader = await store.read(testShard, 'latest')
  const put = (offset: number) => ({ kind: 'put', row: testRow(`r${offset}`, offset) }) as const
  let next = 0
  async function apply(changes: readonly RowChange[], watermark: number): Promise<void> {
    await writer.apply({ table, changes, watermark })
    next = watermark
  }
  const commands: { readonly [name: string]: () => Promise<unknown> } = {
    apply: () =>
      apply(
        Array.from({ length: 200 }, (_, at) => put(next + at)),
        next + 200,
      ),
    /** The batch reads the row that it changes. */
    patch: () =>
      apply([{ kind: 'patch', space: testSpace, id: 'r0', offset: next, fields: { text: 'new' } }], next + 1),
    putIfAbsent: () => apply([{ kind: 'putIfAbsent', row: testRow(`r${next}`, next) }], next + 1),
    scan: () => reader.scan(table, { space: testSpace, limit: 9 }),
    changes: () => reader.changes(table, testSpace, 0),
    async rows() {
      for await (const _ of reader.rows(table));
    },
    open: async () => (await store.read(testShard, 'latest')).close(),
  }
  return async (name) => {
    const work = commands[name]
    if (work === undefined) throw new Error(`there is no command ${name}`)
    return work().then(
      () => 'ok',
      (error) => `${error.code} ${error.message.split('\n')[0]}`,
    )
  }
}
