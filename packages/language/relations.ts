/**
 * Relations of which a subject has one object at a time: two statements with the same slot and different objects replace each
 * other (lives in Oslo, lives in Bergen). The table is small on purpose: a slot too many would throw away true facts.
 */
import type { Statement } from './restate/statement.ts'

export interface Slot {
  /** `caroline|lives in` */
  readonly slot: string
}

interface Rule {
  readonly relation: string
  /** Matches relation and object together, in lower case. */
  readonly pattern: RegExp
}

const rules: readonly Rule[] = [
  {
    relation: 'lives in',
    pattern:
      /^(?:(?:still )?lives? (?:in|at|with|near)|is living (?:in|at|with|near)|(?:has |have )?(?:just )?(?:moved|relocated) (?:back )?to|is based in|settled in) /,
  },
  {
    relation: 'works as',
    pattern:
      /^(?:works? as|is working as|(?:got|took|started) (?:a |the )?(?:new )?job as|became|is employed as|was promoted to|got promoted to) /,
  },
  {
    relation: 'works at',
    pattern: /^(?:(?:still )?works? (?:at|for)|is working (?:at|for)|started (?:working|a job) (?:at|for)) /,
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

/** null: the subject may have many of these, and nothing is replaced. */
export function functionalRelation(
  statement: Pick<Statement, 'subject' | 'relation' | 'object' | 'tense'>,
): Slot | null {
  const subject = statement.subject.toLowerCase()
  const told = `${statement.relation} ${statement.object}`.trim()
  const favourite = /^(?<whose>.+?'s?) (?:all-time )?favou?rite (?<what>[a-z][a-z -]*)$/.exec(subject)?.groups
  if (favourite) return /^(?:is|are)\b/.test(told) ? { slot: `${subject.replace('favourite', 'favorite')}|is` } : null
  for (const { relation, pattern } of rules) {
    if (!pattern.test(told.toLowerCase())) continue
    if (relation === 'is aged' && !ages.test(told)) continue
    return { slot: `${subject}|${relation}` }
  }
  return null
}
