/**
 * A request for evidence as people and programs give it, in words: the options of `loomlog recall` and the parameters of the gateway are
 * the same, and are checked here one by one.
 */
import { LoomlogError } from '@loomlog/errors'
import { kinds } from '../memory.ts'
import { type After, reaches } from './read-your-writes.ts'
import { maxBudgetTokens, maxLimit, modes, mostWaitMs, type RecallRequest } from './request.ts'
import type { AsOf, Filter } from './scope.ts'
import { understandings } from './understanding.ts'

/** Values of one parameter. */
const maxValues = 100

/** Each may be left out; those that may be given several times are said to be. */
export interface Given {
  readonly query?: Values
  readonly mode?: Values
  /** Several. */
  readonly kind?: Values
  readonly limit?: Values
  readonly budget?: Values
  readonly understanding?: Values
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

/**
 * @param space `tenant/space`, one or several
 * @param spelled how the caller spells a parameter: what is refused is named so
 * @throws LoomlogError `input-invalid`, with the parameter, its value and what was expected
 */
export function requestFrom(
  given: Given,
  space: RecallRequest['space'],
  spelled: (name: keyof Given) => string = (name) => name,
): RecallRequest {
  const of = {
    optional: <T>(name: keyof Given, read: (name: string, text: string) => T) =>
      given[name] === undefined ? undefined : read(spelled(name), one(spelled(name), given[name])),
    all: <T>(name: keyof Given, read: (name: string, text: string) => T) => {
      const values = [given[name] ?? []].flat()
      if (values.length > maxValues) {
        const message = `${spelled(name)} has ${values.length} values: expected at most ${maxValues}`
        throw new LoomlogError('input-invalid', message)
      }
      return values.map((text) => read(spelled(name), text))
    },
  }
  const asOf: AsOf = defined({ trueAt: of.optional('trueAt', time), knownAt: of.optional('knownAt', time) })
  const filter: Filter = defined({
    speakers: of.all('speaker', asIs),
    conversations: of.all('conversation', asIs),
    from: of.optional('from', time),
    to: of.optional('to', time),
    metadata: Object.fromEntries(of.all('metadata', label)),
  })
  const wanted = of.all('kind', among(kinds))
  if (given.reach !== undefined && given.after === undefined) {
    throw invalid(spelled('reach'), String(given.reach), `${spelled('after')} beside it`)
  }
  return defined({
    space,
    query: of.optional('query', asIs) ?? '',
    mode: of.optional('mode', among(modes)),
    kinds: wanted.length > 0 ? wanted : undefined,
    limit: of.optional('limit', upTo(maxLimit)),
    budgetTokens: of.optional('budget', upTo(maxBudgetTokens)),
    understanding: of.optional('understanding', among(understandings)),
    filter,
    asOf,
    after: after(of.optional('after', position), of.optional('reach', among(reaches))),
    maxWaitMs: of.optional('wait', upTo(mostWaitMs)),
  })
}

function one(name: string, given: Values): string {
  if (typeof given === 'string') return given
  if (given?.length === 1) return given[0] as string
  throw new LoomlogError('input-invalid', `${name} is given more than once: expected one`)
}

function asIs(_name: string, text: string): string {
  return text
}

function among<T extends string>(known: readonly T[]): (name: string, text: string) => T {
  return (name, text) => {
    const found = known.find((each) => each === text)
    if (found !== undefined) return found
    throw invalid(name, text, `one of ${known.join(', ')}`)
  }
}

function upTo(most: number): (name: string, text: string) => number {
  return (name, text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= most) return number
    throw invalid(name, text, `a whole number from 1 to ${most}`)
  }
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** A day is its beginning, in UTC. */
function time(name: string, text: string): number {
  const [, year, month, day] = timePattern.exec(text) ?? []
  const ms = Date.parse(text)
  // The parser turns 30 February into 2 March: such a date is none.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  if (day !== undefined && isDay && !Number.isNaN(ms)) return ms
  throw invalid(name, text, 'a day, such as 2026-03-02, or a time with a zone, such as 2026-03-02T09:00:00Z')
}

function position(name: string, text: string): Omit<After, 'reach'> {
  const [, partition, offset] = /^(\d{1,4})@(\d{1,15})$/.exec(text) ?? []
  if (offset !== undefined) return { partition: Number(partition), offset: Number(offset) }
  throw invalid(name, text, 'a position as an append answers, such as 2@134')
}

function after(at: Omit<After, 'reach'> | undefined, reach: After['reach'] = 'raw'): After | undefined {
  return at && { ...at, reach }
}

function label(name: string, text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw invalid(name, text, 'LABEL=VALUE')
}

function invalid(name: string, text: string, expected: string): LoomlogError {
  return new LoomlogError('input-invalid', `${name} is ${JSON.stringify(text.slice(0, 80))}: expected ${expected}`)
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without what is undefined. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
