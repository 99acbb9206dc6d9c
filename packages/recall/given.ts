/**
 * A request for evidence as people and programs give it, in words: the options of `loomlog recall` and the parameters of the gateway are
 * the same, and are checked here one by one.
 */
import { LoomlogError } from '@loomlog/errors'
import { kinds } from './memory.ts'
import { type After, reaches } from './reached.ts'
import { modes, type RecallRequest } from './request.ts'
import type { AsOf, Filter } from './within.ts'

/** Each may be left out; those that may be given several times are said to be. */
export interface Given {
  readonly query?: Values
  readonly mode?: Values
  /** Several. */
  readonly kind?: Values
  readonly limit?: Values
  readonly budget?: Values
  /** Several. */
  readonly speaker?: Values
  /** Several. */
  readonly conversation?: Values
  readonly from?: Values
  readonly to?: Values
  /** Several, each LABEL=VALUE. */
  readonly metadata?: Values
  readonly trueAt?: Values
  readonly knownAt?: Values
  /** PARTITION@OFFSET, as an append answers. */
  readonly after?: Values
  readonly reach?: Values
  readonly wait?: Values
}

type Values = string | readonly string[] | undefined
type Name = keyof Given

/** @param space `tenant/space`, one or several @throws LoomlogError `input-invalid`, with the parameter, its value and what was expected */
export function requestFrom(given: Given, space: RecallRequest['space']): RecallRequest {
  const of = {
    one: (name: Name) => one(name, given[name]),
    optional: <T>(name: Name, read: (name: Name, text: string) => T) =>
      given[name] === undefined ? undefined : read(name, one(name, given[name])),
    all: (name: Name) => [given[name] ?? []].flat(),
  }
  const asOf: AsOf = defined({ trueAt: of.optional('trueAt', time), knownAt: of.optional('knownAt', time) })
  const filter: Filter = defined({
    speakers: of.all('speaker'),
    conversations: of.all('conversation'),
    from: of.optional('from', time),
    to: of.optional('to', time),
    metadata: Object.fromEntries(of.all('metadata').map(label)),
  })
  const wanted = of.all('kind').map((text) => among('kind', text, kinds))
  return defined({
    space,
    query: given.query === undefined ? '' : of.one('query'),
    mode: of.optional('mode', (name, text) => among(name, text, modes)),
    kinds: wanted.length > 0 ? wanted : undefined,
    limit: of.optional('limit', wholeNumber),
    budgetTokens: of.optional('budget', wholeNumber),
    filter,
    asOf,
    after: after(
      of.optional('after', position),
      of.optional('reach', (name, text) => among(name, text, reaches)),
    ),
    maxWaitMs: of.optional('wait', wholeNumber),
  })
}

function one(name: Name, given: Values): string {
  if (typeof given === 'string') return given
  if (given?.length === 1) return given[0] as string
  throw new LoomlogError('input-invalid', `${name} is given more than once: expected one`)
}

function among<T extends string>(name: Name, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text)
  if (found !== undefined) return found
  throw invalid(name, text, `one of ${known.join(', ')}`)
}

function wholeNumber(name: Name, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw invalid(name, text, 'a whole number')
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** A day is its beginning, in UTC. */
function time(name: Name, text: string): number {
  const [, year, month, day] = timePattern.exec(text) ?? []
  const ms = Date.parse(text)
  // The parser turns 30 February into 2 March: such a date is none.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  if (day !== undefined && isDay && !Number.isNaN(ms)) return ms
  throw invalid(name, text, 'a day, such as 2026-03-02, or a time with a zone, such as 2026-03-02T09:00:00Z')
}

function position(name: Name, text: string): Omit<After, 'reach'> {
  const [, partition, offset] = /^(\d{1,4})@(\d{1,15})$/.exec(text) ?? []
  if (offset !== undefined) return { partition: Number(partition), offset: Number(offset) }
  throw invalid(name, text, 'a position as an append answers, such as 2@134')
}

function after(at: Omit<After, 'reach'> | undefined, reach: After['reach'] = 'raw'): After | undefined {
  return at && { ...at, reach }
}

function label(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw invalid('metadata', text, 'LABEL=VALUE')
}

function invalid(name: Name, text: string, expected: string): LoomlogError {
  return new LoomlogError('input-invalid', `${name} is ${JSON.stringify(text.slice(0, 80))}: expected ${expected}`)
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without what is undefined. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
