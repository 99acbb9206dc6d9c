/**
 * Damage for tests: inverts the vectors of a table in its data files, in place, as a failing disk or another program
 * might. LanceDB stores them as plain floats, so each is found by its bytes. Where rows are sealed with their vectors,
 * the sealed bytes are changed in the same way.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connect, type Table as LanceTable } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { packAt } from './arrow.ts'

const signBit = 0x80

/** @param folder `<views>/<view>/p<partition>/<table>.lance`. Returns the number of vectors that were inverted. */
export async function invertVectors(folder: string, table: string): Promise<number> {
  const connection = await connect(dirname(folder))
  const vectors = await vectorsOf(await connection.openTable(table))
  connection.close()
  let inverted = 0
  for (const name of (await readdir(join(folder, 'data'))).filter((file) => file.endsWith('.lance'))) {
    const file = join(folder, 'data', name)
    const bytes = await readFile(file)
    const found = vectors.flatMap((vector) => placesOf(vector, bytes).map((at) => ({ at, length: vector.length })))
    for (const { at, length } of found)
      for (let end = at + 3; end < at + length; end += 4) bytes[end] = (bytes[end] ?? 0) ^ signBit
    await writeFile(file, bytes)
    inverted += found.length
  }
  return inverted
}

/** Each distinct vector once, since equal ones would be inverted back. */
async function vectorsOf(on: LanceTable): Promise<readonly Buffer[]> {
  const vectors = new Map<string, Buffer>()
  for await (const recordBatch of on
    .query()
    .where("space <> ''")
    .select(['vector', 'pack']) as AsyncIterable<RecordBatch>) {
    for (let at = 0; at < recordBatch.numRows; at += 1) {
      const [vector, sealed] = [recordBatch.getChild('vector')?.get(at), packAt(recordBatch, at)]
      const bytes = vector ? Buffer.from(Float32Array.from(vector.toArray()).buffer) : Buffer.from(sealed)
      if (bytes.length === 0) continue
      vectors.set(bytes.toString('latin1'), bytes)
    }
  }
  return [...vectors.values()]
}

function placesOf(vector: Buffer, bytes: Buffer): readonly number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(vector); at >= 0; at = bytes.indexOf(vector, at + vector.length)) places.push(at)
  return places
}
