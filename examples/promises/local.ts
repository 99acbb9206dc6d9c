/**
 * The task by rules, for English. A promise is a statement that begins with a first-person commitment: "I'll send you
 * the deck by Friday", "I promise to call". Questions, conditions, negations, hedges, reports and predictions ("I'll be
 * late") are no promises.
 */
import { sentences } from '@loomlog/language/sentences'
import { findTimes, rewriteTimes } from '@loomlog/language/times'
import type { Effects } from '@loomlog/runtime/step'
import type { BoxLines, FoundPromise, FoundPromises } from './task-types.ts'

const greeting =
  /^(?:(?:ok(?:ay)?|sure|yes|yeah|fine|great|thanks|absolutely|of course|no problem|and|but|so|then)\b[ ,!.–—-]*)+/i
const commitment =
  /^(?:i(?:'ll| will|'m going to| am going to) (?:definitely |gladly |personally |also |then )?|i (?:promise|swear|commit)(?: you)?(?: to| that i(?:'ll| will)|,? i(?:'ll| will)) )(?<action>.+)$/i
/** Verbs of predictions and of the mind: "I'll be late", "I'll miss you", "I'll think about it". */
const prediction =
  /^(?:be(?! there\b)|have(?: to)?|need|miss|see(?! to\b)|think|try|hope|know|remember|feel|like|love|want|wait|consider|get (?:sick|lost|old))\b/i
const doubtful =
  /\b(?:if|unless|when(?:ever)?|maybe|perhaps|probably|possibly|might|not|never|no longer)\b|n't\b|\?\s*$/i

export function* findPromises({ lines, participants }: BoxLines): Effects<FoundPromises> {
  const promises = lines.flatMap((line) => {
    const others = participants.filter((name) => name !== line.speaker)
    return sentences(line.text.replaceAll('’', "'")).flatMap((sentence) => promiseIn(sentence, line, others))
  })
  return { promises }
}

function promiseIn(
  sentence: string,
  line: BoxLines['lines'][number],
  others: readonly string[],
): readonly FoundPromise[] {
  const { rest, addressee } = withoutAddress(sentence, others)
  const action = commitment.exec(rest)?.groups?.['action']?.replace(/(?<![.!\s])[.!\s]+$/, '')
  if (action === undefined || prediction.test(action) || doubtful.test(rest)) return []
  const at = Date.parse(line.at)
  // The whole sentence, because its "will" says that "Friday" is the next one.
  const [deadline] = findTimes(rest, at)
  const dated = rewriteTimes(rest, at, ({ text }) => text)
  const written = commitment.exec(dated.text)?.groups?.['action']?.replace(/(?<![.!\s])[.!\s]+$/, '') ?? action
  const to =
    addressee ?? others.find((name) => holds(action, name)) ?? (others.length === 1 ? others[0] : undefined) ?? null
  const due = deadline && {
    from: iso(deadline.from),
    to: iso(deadline.to),
    text: dated.times[0]?.text ?? deadline.text,
  }
  return [{ line: line.label, action: withNames(written, line.speaker, to), to, due: due ?? null }]
}

/** "Ben, sure, I'll call" and "I'll call, Ben" address Ben. */
function withoutAddress(sentence: string, others: readonly string[]) {
  const plain = sentence.replace(greeting, '')
  for (const name of others) {
    const end = `, ${name}`
    const bare = plain.replace(/(?<![.!])[.!]+$/, '')
    if (plain.startsWith(`${name}, `))
      return { rest: plain.slice(name.length + 2).replace(greeting, ''), addressee: name }
    if (bare.endsWith(end)) return { rest: bare.slice(0, -end.length), addressee: name }
  }
  return { rest: plain, addressee: null }
}

/** "You" is only replaced where the addressee is known. */
function withNames(action: string, speaker: string, to: string | null): string {
  const own = action.replace(/\bmy\b/gi, `${speaker}'s`).replace(/\b(?:me|myself)\b/gi, speaker)
  if (to === null) return own
  return own.replace(/\byour\b/gi, `${to}'s`).replace(/\byou\b/gi, to)
}

function holds(text: string, name: string): boolean {
  return ` ${text} `.includes(` ${name} `)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
