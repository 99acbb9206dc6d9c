/**
 * The floor of a simple store: one table of SQLite with full text (FTS5) and the vectors as blobs. A search takes the
 * best 300 rows by words, and compares all vectors of the space with the question.
 */
import { DatabaseSync } from 'node:sqlite'
import type { ViewReader } from '@loomlog/views/reader'
import { utterances } from '@loomlog/views/tables/utterances'
import { seededRandom } from '../../../seeded-random.ts'
import { measuredSpace, vectorSpace } from '../crowded-shard.ts'
import { question, unitVector } from '../synthetic-memories.ts'

const { dimensions } = vectorSpace
const maxHits = 300

export interface SqliteFloor {
  search(): Promise<number>
  close(): void
}

export async function openSqliteFloor(file: string, views: ViewReader): Promise<SqliteFloor> {
  const db = new DatabaseSync(file)
  const random = seededRandom(5)
  db.exec(`create table rows (id integer primary key, text text, vector blob);
    create virtual table words using fts5(text, content=rows, content_rowid=id, tokenize='porter unicode61')`)
  db.exec('begin')
  const row = db.prepare('insert into rows (text, vector) values (?, ?)')
  for (const { text } of await views.scan(utterances, { space: measuredSpace, limit: 1_000_000 })) {
    row.run(text, new Uint8Array(unitVector(dimensions, random).buffer))
  }
  db.exec(`insert into words (rowid, text) select id, text from rows; commit`)
  const byWords = db.prepare(
    'select rows.text, bm25(words) score from words join rows on rows.id = words.rowid where words match ? order by score limit ?',
  )
  const byMeaning = db.prepare('select id, vector from rows')
  return {
    async search() {
      const words = question(random).match(/\w+/g)?.join(' OR ') ?? ''
      const found = byWords.all(words, maxHits).length
      const query = unitVector(dimensions, random)
      let best = -Infinity
      for (const { vector } of byMeaning.iterate() as Iterable<{ vector: Uint8Array }>) {
        const values = new Float32Array(vector.buffer, vector.byteOffset, dimensions)
        let sum = 0
        for (let at = 0; at < dimensions; at += 1) sum += (query[at] ?? 0) * (values[at] ?? 0)
        best = Math.max(best, sum)
      }
      return found + best
    },
    close: () => db.close(),
  }
}
