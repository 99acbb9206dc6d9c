/**
 * The state that a change leads to: a person who moved to Porto lives there; a person who became a nurse works as one.
 * The state is a statement beside the change, so that questions about the present find it, and so that it ends the
 * state before it.
 */
import type { EventTime } from '../times.ts'
import { joined, tag, type Word, word } from '../words.ts'
import { describe } from './describe.ts'
import { factFields } from './restated-clause.ts'
import type { Statement } from './statement.ts'
import { frame } from './verbs.ts'

interface Change {
  /** Matches relation and object; the group `what` is the object of the state. */
  readonly pattern: RegExp
  readonly relation: string
  readonly fits: (what: readonly Word[]) => boolean
}

const work =
  /(?:er|or|ist|ian|lead|head|chief|cook|chef|nurse|intern|assistant|president|architect|pilot|coach|clerk|judge|guard|cto|ceo|cfo)$/
const noWork =
  /^(?:member|mother|father|brother|sister|owner|winner|runner|lover|leader|partner|follower|believer|supporter|fighter|survivor|player|beginner|newcomer|number|letter|disaster|matter|better|monster|swimmer|listener|wonder|neighbor|neighbour|favor|honor|color)$/

const changes: readonly Change[] = [
  {
    pattern: /^(?:has |have )?(?:moved|relocated|emigrated)(?: back| over| out| away)?(?: from .+?)? to (?<what>.+)$/,
    relation: 'lives in',
    // A home is a named place, unlike in `moved to the front` and `moved to Tom's`.
    fits: (what) => /^\p{Lu}/u.test(what.at(-1)?.text ?? '') && what.every((each) => each.lower !== "'s"),
  },
  {
    pattern:
      /^(?:(?:has|have|been|was|got|just) )*(?:(?:started(?: out| work| working)?|hired|(?:got|took|found|started) (?:an? |the )?(?:\w+ )?(?:job|position|role)) as|promoted to) (?<what>.+)$/,
    relation: 'works as',
    fits: isOccupation,
  },
  {
    pattern: /^(?:has |have )?(?:become|became) (?<what>.+)$/,
    relation: 'works as',
    fits: isOccupation,
  },
]

/** The state that a change leads to, valid from the change; null: none. */
export function impliedState(statement: Statement, participants: readonly string[], at: number): Statement | null {
  const { subject, relation, object, tense, when, persons } = statement
  if (tense !== 'past' || !isPerson(subject, [...participants, ...persons])) return null
  const predicate = `${relation} ${object}`
  for (const { pattern, relation: holds, fits } of changes) {
    const found = pattern.exec(predicate)?.groups?.['what']
    const what = found && plain(found, when?.text ?? null)
    if (!what || !fits(untilPreposition(tag(what).flat()))) continue
    const [verb = '', preposition = ''] = holds.split(' ')
    const words = [
      ...tag(subject).flat(),
      word(verb, 'VERB', verb.slice(0, -1)),
      word(preposition, 'ADP'),
      ...withLeadingSpace(tag(what).flat()),
    ]
    const parts = frame(words)
    if (!parts || parts.verb === 0) return null
    const text = `${joined(words)}.`
    return {
      text,
      ...describe(words, parts, at),
      ...factFields(words, participants),
      kind: 'state',
      tense: 'present',
      when: since(when, at),
    }
  }
  return null
}

/** The state still holds at the time of the utterance. */
function since(when: EventTime | null, at: number): EventTime | null {
  return when && { ...when, to: Math.max(when.to, at) }
}

function isPerson(subject: string, persons: readonly string[]): boolean {
  return persons.includes(subject) || persons.some((name) => subject.endsWith(` ${name}`))
}

/** The object without a time and without further clauses. */
function plain(object: string, time: string | null): string {
  const untimed = time === null ? object : (object.split(time)[0] ?? '')
  return (
    untimed.split(
      /,| (?:because|when|while|with|for|and|after|before|since|but|so|to|on|where|who|which|that)(?= |$)/,
    )[0] ?? ''
  )
    .replace(/ (?:in|at|on)$| (?:in|at|on) $/, '')
    .trim()
}

function withLeadingSpace(words: readonly Word[]): readonly Word[] {
  return words.map((each, i) => (i === 0 ? { ...each, isSpaced: true } : each))
}

/** The part before a preposition: `a cook` in `a cook in Rome`. */
function untilPreposition(what: readonly Word[]): readonly Word[] {
  const end = what.findIndex((each, i) => i > 0 && each.pos === 'ADP')
  return end < 0 ? what : what.slice(0, end)
}

function isOccupation(what: readonly Word[]): boolean {
  const head = what.at(-1)?.lower ?? ''
  return work.test(head) && !noWork.test(head)
}
