/** The compiled readers against avsc, with its own walk before it: the same values, and the same bytes refused. */
import assert from 'node:assert/strict'
import test from 'node:test'
import avro from 'avsc'
import { arbitraryEvent, seeded } from './arbitrary.ts'
import { compileReader } from './decoder.ts'
import { framingFault } from './framing.ts'
import { records } from './records.ts'

const seed = Number(process.env.LOOMLOG_SEED ?? Math.floor(performance.now() * 1000) % 2 ** 31)

for (const record of records) {
  test(`${record.name}: whole or damaged, it is read as avsc reads it (LOOMLOG_SEED=${seed})`, () => {
    const type = avro.Type.forSchema(JSON.parse(record.text))
    const read = compileReader(record.name, type)
    assert.ok(read, 'every record of ours has a reader')
    const chance = seeded(seed)
    for (let round = 0; round < 200; round += 1) {
      const bytes = Buffer.from(type.toBuffer(withBuffers(arbitraryEvent(record, chance))))
      if (round % 2 === 1) bytes[chance(bytes.length)] = chance(256)
      const { type: _, ...fields } = attempt(() => read(bytes)) ?? { type: null, refused: true }
      assert.deepEqual(structuredClone(fields), structuredClone(byAvsc(type, bytes) ?? { refused: true }))
    }
  })
}

function byAvsc(type: avro.Type, bytes: Buffer): object | null {
  if (framingFault(type, bytes) !== null) return null
  const decoded = attempt(() => type.fromBuffer(bytes) as object)
  return decoded && (JSON.parse(JSON.stringify(decoded), bytesBack) as object)
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

function withBuffers(event: object): object {
  return Object.fromEntries(
    Object.entries(event).map(([key, item]) => [key, item instanceof Uint8Array ? Buffer.from(item) : item]),
  )
}


/** What JSON makes of a Buffer, back as bytes. */
function bytesBack(_: string, item: unknown): unknown {
  const made = item as { type?: string; data?: number[] } | null
  return made?.type === 'Buffer' && Array.isArray(made.data) ? new Uint8Array(made.data) : item
}
