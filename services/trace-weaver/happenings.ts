/**
 * Which statements tell of something that happens at some time, by the verb that carries them. "Tomas bought a boat" does; "Tomas
 * felt overwhelmed", "Tomas used to sail" and "Tomas keeps trying" do not.
 */
import type { Statement } from '@loomlog/language/restate'

/** What stands before the verb that carries the statement: auxiliaries, adverbs, and what announces a plan. */
const announcing = new Set(
  `is am are was were be been being has have had will would do did does 'll ca can could should may might going gonna to
  plan plans planned planning hopes hope hoped hoping aim aims aimed aiming intend intends intended intending consider considers considered considering
  thinking about of looking forward wants want wanted would like love excited decided decides need needs needed managed started starts began
  so super really very also even just already finally first recently probably actually soon still always currently once now then later slowly
  definitely early both all together got get gets getting had`.split(/\s+/),
)

/** Verbs of feeling, knowing, having, going on: what they tell has no time of its own. */
const lasting = new Set(
  `feel felt think thought know knew known believe believed hear heard notice noticed realize realized love loved like liked enjoy enjoyed hate
  hated keep kept stay stayed remain let try tried trying help helped seem seemed become became mean meant remember remembered forget forgotten
  inspire inspired support supported encourage encouraged motivate motivated allow allowed face faced struggle struggled wish wished care cared
  appreciate appreciated understand understood see saw seen look looked continue continued happen happened call called miss missed need needed
  swamped blessed impressed pumped stoked overwhelmed amazed touched moved_by live lived exist belong be stick cherish savor rock push quit
  make change changed affect affected give gave given bring brought show shown stand believe consider chase grow grew say said tell told want
  ask asked share shared talk talked chat chatted use used work`.split(/\s+/),
)

/** Light verbs: the noun after them tells whether something happened. */
const light = new Set(
  'take took taken make made have had give gave given get got gotten do did done bring brought show shown share shared'.split(
    ' ',
  ),
)
const pale =
  /\b(?:lot|lots|bit|time|fun|look|breath|break|chance|difference|sense|step|steps|progress|care|love|joy|hope|strength|courage|feeling|memories|blast|help|support|idea|ideas|way|ways|thing|things|stuff|ups|taste|confidence|motivation|boost|advice|perspective|energy|purpose|moment|moments|tips|insight|thought|thoughts|it)\b/i
const negated = /\b(?:not|never|n't|no longer)\b|n't\b/i

export function isHappening(statement: Statement): boolean {
  const { kind, relation, object, when } = statement
  if (kind !== 'event' && kind !== 'plan') return false
  if (negated.test(relation) || /\bused to\b|\b(?:would|should|could|might) have\b/i.test(relation)) return false
  // A thing with a date ahead of it is planned, whatever its verb: the talk is on 7 May.
  if (kind === 'plan' && when !== null && /^(?:is|are) ?(?:on|in|at)?$/.test(relation)) return true
  const verb = carrying(relation, object)
  if (verb === null) return false
  if (light.has(verb)) return object.split(' ').length > 1 && (when !== null || !pale.test(object))
  return !lasting.has(verb) || (when !== null && /^(?:saw|seen|see|gave|worked|moved|asked|changed)$/.test(verb))
}

/** The first word of the relation that is not there to announce; a noun or a gerund may carry a plan: looking forward to visiting. */
function carrying(relation: string, object: string): string | null {
  const words = relation.toLowerCase().split(/\s+/)
  const telling = words.find((word) => !announcing.has(word) && !/ly$/.test(word))
  if (telling !== undefined) return telling
  if (/\b(?:got|get|gets|had|have|has)$/.test(relation.toLowerCase())) return words.at(-1) ?? null
  const gerund = object
    .toLowerCase()
    .split(/\s+/)
    .find((word) => !announcing.has(word))
  return gerund !== undefined && /ing$/.test(gerund) ? stemOfGerund(gerund) : null
}

function stemOfGerund(gerund: string): string {
  const stem = gerund.slice(0, -3)
  return lasting.has(`${stem}e`) ? `${stem}e` : stem
}
