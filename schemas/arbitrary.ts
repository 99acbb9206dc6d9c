/**
 * Arbitrary events for tests: any value that a record's schema allows, from a seed. The same seed gives the same
 * values. `keyId` is always null, since nothing is encrypted yet.
 */
import avro from 'avsc'
import type { LoomEvent } from './events.ts'
import type { RecordSchema } from './records.ts'

const { types } = avro

/** An integer from 0 to `below`, exclusive. */
export type RandomInt = (below: number) => number

/** A mulberry32 generator: small, and the same on every machine. */
export function seededInt(seed: number): RandomInt {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export function arbitraryEvent(record: RecordSchema, chance: RandomInt): LoomEvent {
  const type = avro.Type.forSchema(JSON.parse(record.text))
  return { type: record.name, ...(arbitrary(type, chance) as object) } as LoomEvent
}

function arbitrary(type: avro.Type, chance: RandomInt): unknown {
  if (type instanceof types.RecordType) {
    return Object.fromEntries(
      type.fields.map((field) => [field.name, field.name === 'keyId' ? null : arbitrary(field.type, chance)]),
    )
  }
  if (type instanceof types.ArrayType) return arbitraryList(chance, () => arbitrary(type.itemsType, chance))
  if (type instanceof types.MapType)
    return Object.fromEntries(arbitraryList(chance, () => [text(chance), arbitrary(type.valuesType, chance)]))
  if (type instanceof types.EnumType) return type.symbols[chance(type.symbols.length)]
  if (type instanceof types.UnwrappedUnionType || type instanceof types.WrappedUnionType)
    return arbitrary(type.types[chance(type.types.length)] as avro.Type, chance)
  return leaf(type, chance)
}

function leaf(type: avro.Type, chance: RandomInt): unknown {
  if (type instanceof types.StringType) return text(chance)
  if (type instanceof types.BytesType) return Uint8Array.from(arbitraryList(chance, () => chance(256)))
  if (type instanceof types.IntType) return chance(2 ** 32) - 2 ** 31
  // Plus 0, since Avro has no -0.
  if (type instanceof types.LongType) return (chance(2 ** 32) - 2 ** 31) * chance(2 ** 21) + 0
  if (type instanceof types.DoubleType) return chance(2 ** 32) / (1 + chance(2 ** 20))
  if (type instanceof types.BooleanType) return chance(2) === 1
  if (type instanceof types.NullType) return null
  throw new Error(`no record of ours holds a ${type.typeName}`)
}

function arbitraryList<T>(chance: RandomInt, one: () => T): T[] {
  return Array.from({ length: chance(4) }, one)
}

const letters = ['a', 'Ω', 'ß', '한', '🧵', '\u0000', '\n', '"', '/', ' ', 'z', '\u2028']

function text(chance: RandomInt): string {
  return Array.from({ length: chance(12) }, () => letters[chance(letters.length)]).join('')
}
