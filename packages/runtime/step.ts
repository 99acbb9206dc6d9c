/**
 * A step: a pure generator over one event. It yields effects (ask, get, put, range) and returns events. It uses no clock, randomness or
 * I/O, so a test drives it with recorded answers and the runtime with real ones.
 *
 * Every effect goes through `yield*` with the functions below, which is what gives their results a type.
 */
import type { Json } from '@loomlog/schemas/ids'
import type { Answer, Task } from './task.ts'

/** A kind of small keyed record that a processor keeps, within one space. Never one value for a whole space. */
export interface KeyedRecord<T> {
  readonly name: string
  /** Carries the type; holds nothing. */
  readonly type?: T | undefined
}

export function keyed<T extends Json>(name: string): KeyedRecord<T> {
  return { name }
}

export type Effect =
  | { readonly op: 'ask'; readonly asks: readonly Ask[] }
  | { readonly op: 'get'; readonly record: string; readonly key: string }
  | { readonly op: 'put'; readonly record: string; readonly key: string; readonly value: Json | null }
  | { readonly op: 'range'; readonly record: string; readonly prefix: string; readonly limit: number }

export interface Ask {
  readonly task: Task<Json, Json>
  readonly input: Json
}

/** A generator that yields effects and returns events or, for a part of a step, any result. */
export type Effects<T> = Generator<Effect, T, unknown>
export type Step<E> = Effects<readonly E[]>

/** Asks once. The answer is recorded before the step gets it; a replay calls no model. */
export function* ask<I extends Json, O extends Json>(task: Task<I, O>, input: I): Effects<Answer<O>> {
  const answers = (yield { op: 'ask', asks: [{ task, input }] }) as readonly Answer<O>[]
  return answers[0] as Answer<O>
}

/** Asks many at once, answered in the order of the inputs. */
export function* askAll<I extends Json, O extends Json>(
  task: Task<I, O>,
  inputs: readonly I[],
): Effects<readonly Answer<O>[]> {
  if (inputs.length === 0) return []
  return (yield { op: 'ask', asks: inputs.map((input) => ({ task, input })) }) as readonly Answer<O>[]
}

export function* get<T extends Json>(record: KeyedRecord<T>, key: string): Effects<T | null> {
  return (yield { op: 'get', record: record.name, key }) as T | null
}

/** Writes the record; null deletes it. Visible to the lane's next events at once, committed with this event's outputs. */
export function* put<T extends Json>(record: KeyedRecord<T>, key: string, value: T | null): Effects<void> {
  yield { op: 'put', record: record.name, key, value }
}

/** The records whose key starts with `prefix`, by key, at most `limit`. */
export function* range<T extends Json>(
  record: KeyedRecord<T>,
  prefix: string,
  limit: number,
): Effects<readonly (readonly [key: string, value: T])[]> {
  return (yield { op: 'range', record: record.name, prefix, limit }) as readonly (readonly [string, T])[]
}
