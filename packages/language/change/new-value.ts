/**
 * A new value beside `now`: `the fee is 0.35 % now`. It outdates an earlier sentence with all other words of this one and
 * another value of the same kind. A sentence with two values says too much to tell.
 */
import { terms } from '../terms.ts'
import type { Ends } from './ends.ts'
import { speakOfOthers } from './phrases.ts'

const isNow = /\bnow\b(?! that\b)/i
const counted = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
const valueForm = new RegExp(
  String.raw`(?<weekday>(?<!\p{L})(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?!\p{L}))|(?<!\p{L})(?<sign>[£$€¥] ?)?(?:\d[\d.,:]*\d|\d|(?:${counted})(?!\p{L}))(?<unit> ?%|k\b| ?\p{Ll}+)?`,
  'gu',
)

interface Value {
  readonly text: string
  readonly kind: string
}

export function newValue(written: string): Ends | null {
  if (!isNow.test(written)) return null
  const value = onlyValue(written)
  const about = value === null ? [] : termsBeside(written, value)
  if (value === null || about.length === 0) return null
  return (earlier) => {
    const before = onlyValue(earlier)
    if (before === null || before.kind !== value.kind || before.text === value.text) return false
    const words = new Set(termsBeside(earlier, before))
    return about.every((term) => words.has(term)) && !speakOfOthers([earlier, before.text], [written, value.text])
  }
}

function onlyValue(sentence: string): Value | null {
  const [found, ...others] = sentence.matchAll(valueForm)
  if (found === undefined || others.length > 0) return null
  const { weekday, sign, unit = '' } = found.groups ?? {}
  const kind = weekday ? 'weekday' : sign ? sign.trim() : (terms(unit)[0] ?? unit.trim())
  const isWord = unit.trim().length > 1
  return { text: isWord ? found[0].slice(0, -unit.length) : found[0], kind }
}

function termsBeside(sentence: string, value: Value): readonly string[] {
  return terms(sentence.replace(isNow, ' ').replace(value.text, ' '))
}
