/**
 * Relations with one object at a time: two statements with the same slot and different objects replace each other
 * (lives in Oslo, lives in Bergen). The table is small on purpose, because a wrong slot would end true facts. A change
 * (moved to Bergen) has no slot, because it stays true; the state that it leads to (lives in Bergen) is a statement of
 * its own with a slot.
 */
import type { Statement } from './restate/statement.ts'

export interface RelationSlot {
  /** `caroline|lives in` */
  readonly slot: string
  /** When the value begins to hold: at the statement's own time, or, for an arrangement, at that of its utterance. */
  readonly holdsFrom: 'its time' | 'its utterance'
}

interface Rule {
  readonly relation: string
  /** Matches relation and object together, in lower case. */
  readonly pattern: RegExp
}

const rules: readonly Rule[] = [
  {
    relation: 'lives in',
    pattern: /^(?:(?:still |now )?lives? (?:in|at)|is (?:now )?living (?:in|at)|is based in|settled in) /,
  },
  {
    relation: 'works as',
    pattern: /^(?:(?:still |now )?works? as|is (?:now )?working as|is employed as) /,
  },
  {
    relation: 'works at',
    pattern:
      /^(?:(?:still |now )?works? (?:at|for)|is (?:now )?working (?:at|for)|started (?:working|a job) (?:at|for)) /,
  },
  { relation: 'is called', pattern: /^(?:is|are) (?:called|named) / },
  {
    relation: 'is aged',
    pattern: /^(?:is|turned|just turned|is turning) (?:\d{1,3}|[a-z]+)(?: years? old)?(?=$| on| in|\.)/,
  },
  {
    relation: 'is married to',
    pattern: /^(?:is (?:happily )?(?:married|engaged) to|married|got (?:married|engaged) to) /,
  },
  { relation: 'is dating', pattern: /^(?:is (?:dating|seeing|going out with)) / },
  { relation: 'studies at', pattern: /^(?:studies|is studying|goes to (?:school|college|university)) at / },
]
const ages =
  /^(?:is|turned|is turning) (?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-[a-z]+)?|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen))\b/i

/** Something with a date ahead: a talk, a meeting, a deadline; no person, and nothing weekly. */
const scheduled =
  /^(?:(?:is|will be|takes place|will take place|happens|starts|begins|is scheduled|is planned|is set|is due|has been moved|was moved|moved)(?: (?:on|in|at|for|to|from))?) (?:on |in )?(?:\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november|december) \d{4}|the (?:week|weekend|end|beginning|start|middle) of )/

/** Null: the subject may have several such values, which don't replace each other. */
export function functionalRelation(
  statement: Pick<Statement, 'subject' | 'relation' | 'object' | 'tense'> &
    Partial<Pick<Statement, 'kind' | 'persons'>>,
): RelationSlot | null {
  const subject = nameOf(statement.subject, statement.persons ?? []).toLowerCase()
  const predicate = `${statement.relation} ${statement.object}`.trim()
  if (scheduled.test(predicate.toLowerCase()) && !statement.persons?.includes(statement.subject))
    return { slot: `${subject}|is on`, holdsFrom: 'its utterance' }
  // Any other plan is no value yet.
  if (statement.kind === 'plan') return null
  const favourite = /^(?<whose>.+?'s?) (?:all-time )?favou?rite (?<what>[a-z][a-z -]*)$/.exec(subject)?.groups
  if (favourite)
    return /^(?:is|are)\b/.test(predicate)
      ? { slot: `${subject.replace('favourite', 'favorite')}|is`, holdsFrom: 'its time' }
      : null
  for (const { relation, pattern } of rules) {
    if (!pattern.test(predicate.toLowerCase())) continue
    if (relation === 'is aged' && !ages.test(predicate)) continue
    return { slot: `${subject}|${relation}`, holdsFrom: 'its time' }
  }
  return null
}

/** `Maya's sister Lena` is Lena. */
function nameOf(subject: string, persons: readonly string[]): string {
  return persons.find((name) => subject.endsWith(` ${name}`)) ?? subject
}
