import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { memoryStore } from '@loomlog/views/in-memory'
import type { Scan } from '@loomlog/views/port'
import { project } from '@loomlog/views/project'
import type { Table } from '@loomlog/views/table'
import { utterances } from '@loomlog/views/tables/utterances'
import { conversationsOf } from './conversations.ts'

const space = 'acme/home'
const count = 20_001

function utterance(index: number): UtteranceAppended {
  const place = { tenant: 'acme', space: 'home', conversation: `c${index % 2}`, keyId: null, principal: null }
  // Lines of one time stand on both sides of a page's end.
  const at = 50 + Math.floor(index / 3)
  const line = { speaker: index < 4 ? 'Ada' : 'Ben', role: 'human', text: 'Hello.', attachments: [] } as const
  return {
    type: 'UtteranceAppended',
    id: `u${index}`,
    ...place,
    ...line,
    at,
    appendedAt: 90,
    isTimeGiven: true,
    canInstruct: true,
    metadata: {},
  }
}

/** @param onPage gets the number of its rows */
async function largeSpace(onPage: (rows: number) => void) {
  const vectorSpace = { name: 'toy-2', dimensions: 2 }
  const shard = await memoryStore().write({ view: 'v', partition: 0, tables: [utterances], vectorSpace })
  const changes = Array.from({ length: count }, (_, index) => index).flatMap((index) =>
    project(utterance(index), { key: space, offset: index }, [utterances]).map(({ change }) => change),
  )
  await shard.apply({ table: utterances, changes, watermark: count })
  async function scan<T extends Table>(table: T, search: Scan<T>) {
    const rows = await shard.scan(table, search)
    onPage(rows.length)
    return rows
  }
  return { scan }
}

test('conversations of a large space are counted in pages', async () => {
  const pages: number[] = []
  const { signal } = new AbortController()
  const views = await largeSpace((rows) => pages.push(rows))
  assert.deepEqual(await conversationsOf(space, views, signal), [
    { conversation: 'c0', utterances: 10_001, speakers: ['Ada', 'Ben'], firstAt: 50, lastAt: 6_716 },
    { conversation: 'c1', utterances: 10_000, speakers: ['Ada', 'Ben'], firstAt: 50, lastAt: 6_716 },
  ])
  assert.deepEqual(pages, [10_000, 10_000, 1])
  assert.deepEqual(await conversationsOf('acme/other', views, signal), [])
})

test('the count ends before the next page when its caller leaves', async () => {
  const leaving = new AbortController()
  let pages = 0
  const views = await largeSpace(() => {
    pages += 1
    leaving.abort(new Error('the caller left'))
  })
  await assert.rejects(conversationsOf(space, views, leaving.signal), /the caller left/)
  assert.equal(pages, 1)
})
