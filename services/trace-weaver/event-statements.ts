/**
 * Selects the statements that report an event with a time of its own, by their main verb. "Tomas bought a boat" does;
 * "Tomas felt overwhelmed", "Tomas used to sail" and "Tomas keeps trying" do not.
 */
import type { FactRecorded } from '@loomlog/schemas/events'

/** Words before the main verb: auxiliaries, adverbs, and verbs that announce a plan or a beginning. */
const announcing = new Set(
  `is am are was were be been being has have had will would do did does 'll can could should may might going gonna to get got getting gets
  plan plans planned planning hope hopes hoped hoping aim aims aimed aiming intend intends intended intending consider considers considered
  considering thinking about of looking forward want wants wanted would like love excited decided decides need needs needed managed
  started starts began so super really very also even just already finally first recently probably actually soon still always currently
  once now then later early both all together`.split(/\s+/),
)

/** Verbs of feeling, knowing, saying, having and continuing: their statements have no time of their own. */
const lasting = new Set(
  `feel felt think thought know knew known believe believed hear heard notice noticed realize realized love loved like liked enjoy enjoyed
  hate hated keep kept stay stayed remain let try tried trying help helped seem seemed become became mean meant remember remembered forget
  forgotten inspire inspired support supported encourage encouraged motivate motivated allow allowed face faced struggle struggled wish
  wished care cared appreciate appreciated understand understood see saw seen look looked continue continued happen happened call called
  miss missed swamped blessed impressed pumped stoked overwhelmed amazed touched live lived exist belong be stick cherish savor rock push
  quit make change changed affect affected give gave given bring brought show shown stand chase grow grew say said tell told ask asked
  share shared talk talked chat chatted use used work worked`.split(/\s+/),
)

/** Lasting verbs that are events if the statement has a date. */
const momentary = new Set('see saw seen work worked ask asked change changed talk talked help helped'.split(' '))

/** Light verbs: the noun after them decides. */
const light = new Set(
  'take took taken make made have had give gave given get got gotten do did done bring brought show shown'.split(' '),
)
/** Nouns after a light verb that make no event. */
const pale =
  /\b(?:lot|lots|bit|time|fun|look|breath|break|chance|difference|sense|step|steps|progress|care|love|joy|hope|strength|courage|feeling|memories|blast|help|support|idea|ideas|way|ways|thing|things|stuff|ups|taste|confidence|motivation|boost|advice|perspective|energy|purpose|moment|moments|tips|insight|thought|thoughts|it)\b/i
const negated = /\b(?:not|never|n't|no longer)\b|n't\b/i

export function isEventStatement({ kind, relation, object, when }: FactRecorded): boolean {
  if (negated.test(relation) || /\bused to\b|\b(?:would|should|could|might) have\b/i.test(relation)) return false
  // With a date ahead, any verb announces a plan: the talk is on 7 May.
  if (kind === 'plan' && when !== null && /^(?:is|are) ?(?:on|in|at)?$/.test(relation)) return true
  const verb = mainVerb(relation, object)
  if (verb === null) return false
  if (light.has(verb)) return object.split(' ').length > 1 && (when !== null || !pale.test(object))
  return !lasting.has(verb) || (when !== null && momentary.has(verb))
}

/** The first word of the relation that announces nothing. A gerund can carry a plan: looking forward to visiting. */
function mainVerb(relation: string, object: string): string | null {
  const words = relation.toLowerCase().split(/\s+/)
  const main = words.find((word) => !announcing.has(word) && !/ly$/.test(word))
  if (main !== undefined) return main
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
