/**
 * Whether two clauses that share things speak of one matter. A person or a project takes part in many: `Rosa finished the upgrade` and `Rosa goes for
 * Bergen` are two, and so are `the Atlas review` and `the Atlas party`.
 */
import type { Clause } from './clause.ts'

/** Stems of verbs by which somebody changes something. */
const changing = new Set(
  `move postpon reschedul re-schedul rearrang push delay shift extend lower rais cut drop reduc increas decreas chang set switch bump upgrad
   downgrad hire bring rebook re-book put shorten updat replac swap`.split(/\s+/),
)
const passive =
  /(?:\b(?:is|are|was|were|been|be|being|got|gets)|'s) (?:(?:now|also|again|just|being) )?(?:\w+ed|cut|set|put|brought)\b/
/** Verbs that say little about their subject by themselves. */
const generic = /^(?:be|have|start|work)$/

/** @param shared things of both clauses, without units */
export function areOneMatter(
  shared: readonly string[],
  later: Clause,
  earlier: Clause,
  isUnit: (thing: string) => boolean,
): boolean {
  const isShared = (thing: string) => shared.includes(thing) || isUnit(thing)
  const heads = headsOf(shared, later, earlier, isUnit)
  if (heads.length === 0) return false
  const isAct = acts(later)
  if (isAct && heads.every((thing) => later.subject.has(thing))) return false
  // `CI takes 9 minutes now`: a clause without a verb of change speaks of its subject.
  const isOwnMatter = !later.subject.has('i') && !changesItself(later) && !isAct && later.subject.size > 0
  if (isOwnMatter && !heads.some((thing) => later.subject.has(thing))) return false
  const areSubjects = heads.every((thing) => later.subject.has(thing) && earlier.subject.has(thing))
  if (areSubjects && !saySameOf(heads, later, earlier)) return false
  const rest = ({ things, subject }: Clause, isAgent: boolean) =>
    [...things].filter((thing) => !isShared(thing) && !(isAgent && subject.has(thing)))
  if (rest(later, isAct).length === 0 || rest(earlier, false).length === 0) return true
  return heads.length > 1 || (areSubjects && !heads.every((thing) => later.names.has(thing)))
}

/** The shared things that neither clause uses only to distinguish something else. */
export function headsOf(
  shared: readonly string[],
  later: Clause,
  earlier: Clause,
  isUnit: (thing: string) => boolean,
): readonly string[] {
  return shared.filter((thing) => ![later, earlier].some((clause) => isModifier(thing, clause, isUnit)))
}

/** Whether a thing only distinguishes something else: `Atlas` in `the Atlas review`, `Mr` in `Mr Osei`. */
function isModifier(thing: string, { modifiers }: Clause, isUnit: (thing: string) => boolean): boolean {
  return [...modifiers].some(([head, own]) => own.has(thing) && head !== thing && !isUnit(head))
}

/** Whether the subject changes something else: `the landlord dropped the rent`. */
function acts({ text, verb, things, subject }: Clause): boolean {
  return changing.has(verb) && !passive.test(text) && [...things].some((thing) => !subject.has(thing))
}

function changesItself({ cues }: Clause): boolean {
  return cues.isReset || cues.isRescheduled
}

/** Whether both say the same of their shared subject: with one verb, or because the later one states a change of it. */
function saySameOf(heads: readonly string[], later: Clause, earlier: Clause): boolean {
  if (later.cues.isReset || changing.has(later.verb)) return true
  if (later.verb !== earlier.verb && !generic.test(later.verb) && !generic.test(earlier.verb)) return false
  const further = ({ stems, verb }: Clause) => [...stems].some((stem) => stem !== verb && !heads.includes(stem))
  return !heads.every((thing) => later.names.has(thing)) || !further(later) || !further(earlier)
}
