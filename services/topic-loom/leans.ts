/**
 * How much a line resembles, in the stage embedder's space, lines that open a topic, that end one, and that follow an opening: its
 * products with three learned directions. Paraphrases lean alike, so this carries further than words.
 */
import { shiftDirections } from './shift-directions.ts'
import type { Leans } from './state.ts'

export type Directions = { readonly [lean in keyof Leans]: readonly number[] }

const directions: Directions = {
  opening: unpacked(shiftDirections.opening),
  last: unpacked(shiftDirections.last),
  after: unpacked(shiftDirections.after),
}

/** @param vector of the embedder that the directions belong to; another length leans nowhere */
export function leansOf(vector: readonly number[], along: Directions = directions): Leans {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  const lean = (direction: readonly number[]) =>
    length === 0 || direction.length !== vector.length
      ? 0
      : direction.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0) / length
  return { opening: lean(along.opening), last: lean(along.last), after: lean(along.after) }
}

/** A direction as text: one byte a number. */
export function packed(direction: readonly number[]): { readonly scale: number; readonly bytes: string } {
  const scale = Math.max(...direction.map(Math.abs)) / 127
  return {
    scale,
    bytes: Buffer.from(Int8Array.from(direction, (value) => Math.round(value / scale)).buffer).toString('base64'),
  }
}

function unpacked({ scale, bytes }: ReturnType<typeof packed>): readonly number[] {
  return [...new Int8Array(Buffer.from(bytes, 'base64'))].map((value) => value * scale)
}
