/**
 * The value of a sentence: an amount by its unit, or a day of the week. A sentence with two values says too much to
 * tell.
 */
import { terms } from '../terms.ts'

const counted = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
const valueForm = new RegExp(
  String.raw`(?<weekday>(?<!\p{L})(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?!\p{L}))|(?<!\p{L})(?<sign>[£$€¥] ?)?(?:\d[\d.,:]*\d|\d|(?:${counted})(?!\p{L}))(?<unit> ?%|k\b| ?\p{Ll}+)?`,
  'gu',
)

export interface Value {
  readonly text: string
  readonly kind: string
  /** The words beside it, as stems, without `now`. */
  readonly beside: readonly string[]
}

export function onlyValue(sentence: string): Value | null {
  const [found, ...others] = sentence.matchAll(valueForm)
  if (found === undefined || others.length > 0) return null
  const { weekday, sign, unit = '' } = found.groups ?? {}
  const kind = weekday ? 'weekday' : sign ? sign.trim() : (terms(unit)[0] ?? unit.trim())
  const isWord = unit.trim().length > 1
  const text = isWord ? found[0].slice(0, -unit.length) : found[0]
  const beside = terms(sentence.replace(/\bnow\b/i, ' ').replace(text, ' '))
  return { text, kind, beside }
}
