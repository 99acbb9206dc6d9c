/**
 * A recall request from text parameters: the options of `loomlog recall` and the parameters of the gateway, parsed and
 * checked here.
 */
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { sameName } from '@loomlog/schemas/names'
import type { ContextRequest } from '../context/context-block.ts'
import { analysisMethods, waitReaches } from './choices.ts'
import type { AsOf, Filter } from './filter.ts'
import type { AfterPosition } from './read-your-writes.ts'
import {
  type ConversationEnd,
  maxBudgetTokens,
  maxExcludedLast,
  maxLimit,
  maxWaitMs,
  modes,
  type RecallRequest,
} from './request.ts'

/** Values of one parameter. */
const maxValues = 100

const sharedParameters = [
  ...(['query', 'budget', 'speaker', 'conversation', 'from', 'to', 'metadata', 'exclude', 'excludeLast'] as const),
  ...(['trueAt', 'knownAt', 'after', 'reach', 'wait', 'understanding'] as const),
] as const
/** The parameters of a context: those of a recall, without mode, kinds and limit, and the asker. */
export const contextParameters = [...sharedParameters, 'for'] as const
export const recallParameters = [...sharedParameters, 'mode', 'kind', 'limit'] as const

/**
 * All are optional. `metadata` is LABEL=VALUE; `excludeLast` is CONVERSATION=COUNT; `after` is the position that an
 * append returns.
 */
export type TextParameters = { readonly [name in (typeof recallParameters)[number] | 'for']?: Values }

type Values = string | readonly string[] | undefined

/**
 * @param space `tenant/space`, one or several
 * @param spelled the caller's spelling of a parameter, for errors
 * @throws LoomlogError `input-invalid`, with the parameter, its value and the expected values
 */
export function requestFrom(
  parameters: TextParameters,
  space: RecallRequest['space'],
  spelled: (name: keyof TextParameters) => string = (name) => name,
): RecallRequest {
  const read = {
    optional: <T>(name: keyof TextParameters, parse: (name: string, text: string) => T) =>
      parameters[name] === undefined ? undefined : parse(spelled(name), one(spelled(name), parameters[name])),
    all: <T>(name: keyof TextParameters, parse: (name: string, text: string) => T) => {
      const values = [parameters[name] ?? []].flat()
      if (values.length > maxValues) {
        const message = `${spelled(name)} has ${values.length} values: expected at most ${maxValues}`
        throw new LoomlogError('input-invalid', message)
      }
      return values.map((text) => parse(spelled(name), text))
    },
  }
  const asOf: AsOf = withoutUndefined({
    trueAt: read.optional('trueAt', timeFrom),
    knownAt: read.optional('knownAt', timeFrom),
  })
  const filter: Filter = withoutUndefined({
    speakers: read.all('speaker', asIs),
    conversations: read.all('conversation', asIs),
    from: read.optional('from', timeFrom),
    to: read.optional('to', timeFrom),
    metadata: Object.fromEntries(read.all('metadata', label)),
  })
  const chosenKinds = read.all('kind', asIs)
  const excluded = read.all('exclude', asIs)
  const ends = read.all('excludeLast', conversationEnd)
  if (parameters.reach !== undefined && parameters.after === undefined) {
    throw invalidInput(spelled('reach'), String(parameters.reach), `${spelled('after')} beside it`)
  }
  return withoutUndefined({
    space,
    query: read.optional('query', asIs) ?? '',
    mode: read.optional('mode', among(modes)),
    kinds: chosenKinds.length > 0 ? chosenKinds : undefined,
    limit: read.optional('limit', upTo(maxLimit)),
    budgetTokens: read.optional('budget', upTo(maxBudgetTokens)),
    understanding: read.optional('understanding', among(analysisMethods)),
    filter,
    exclude: excluded.length > 0 ? excluded : undefined,
    excludeLast: ends.length > 0 ? ends : undefined,
    asOf,
    after: after(read.optional('after', position), read.optional('reach', among(waitReaches))),
    maxWaitMs: read.optional('wait', upTo(maxWaitMs)),
  })
}

/** @throws LoomlogError as `requestFrom` */
export function contextRequestFrom(
  parameters: TextParameters,
  space: string,
  spelled?: (name: keyof TextParameters) => string,
): ContextRequest {
  const given = Object.fromEntries(contextParameters.map((name) => [name, parameters[name]]))
  const asker = parameters.for
  const named = asker === undefined ? {} : { for: one(spelled?.('for') ?? 'for', asker) }
  return { ...requestFrom(given, space, spelled), ...named, space }
}

function one(name: string, values: Values): string {
  if (typeof values === 'string') return values
  if (values?.length === 1) return values[0] as string
  throw new LoomlogError('input-invalid', `${name} is given more than once: expected one`)
}

function asIs(_name: string, text: string): string {
  return text
}

function among<T extends string>(known: readonly T[]): (name: string, text: string) => T {
  return (name, text) => {
    const found = known.find((each) => each === text)
    if (found !== undefined) return found
    throw invalidInput(name, text, `one of ${known.join(', ')}`)
  }
}

function upTo(most: number): (name: string, text: string) => number {
  return (name, text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= most) return number
    throw invalidInput(name, text, `a whole number from 1 to ${most}`)
  }
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** A day stands for its beginning, in UTC. @throws LoomlogError `input-invalid` */
export function timeFrom(name: string, text: string): number {
  const [, year, month, day] = timePattern.exec(text) ?? []
  const ms = Date.parse(text)
  // The parser turns 30 February into 2 March: such a date is refused.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  if (day !== undefined && isDay && !Number.isNaN(ms)) return ms
  throw invalidInput(name, text, 'a day, such as 2026-03-02, or a time with a zone, such as 2026-03-02T09:00:00Z')
}

function position(name: string, text: string): Omit<AfterPosition, 'reach'> {
  const [, partition, offset] = /^(\d{1,4})@(\d{1,15})$/.exec(text) ?? []
  if (offset !== undefined) return { partition: Number(partition), offset: Number(offset) }
  throw invalidInput(name, text, 'a position as an append returns, such as 2@134')
}

function after(
  at: Omit<AfterPosition, 'reach'> | undefined,
  reach: AfterPosition['reach'] = 'raw',
): AfterPosition | undefined {
  return at && { ...at, reach }
}

function conversationEnd(name: string, text: string): ConversationEnd {
  const at = text.lastIndexOf('=')
  if (at < 1) throw invalidInput(name, text, 'CONVERSATION=COUNT')
  return { conversation: sameName(text.slice(0, at)), count: upTo(maxExcludedLast)(name, text.slice(at + 1)) }
}

function label(name: string, text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw invalidInput(name, text, 'LABEL=VALUE')
}

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>
}
