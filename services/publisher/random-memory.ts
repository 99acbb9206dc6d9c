/** For tests: random memories of a space under one derivation, with a model of the live memories after each round. */
import type { DerivedRecord, LoomEvent } from '@loomlog/schemas/events'

/** The live memories, by `kind/id`, each with a text that shows its content. */
export type ModelledMemory = Map<string, string>

export interface RoundContext {
  readonly derivation: string
  readonly tenant: string
  readonly space: string
  /** The number of the round: ids are the same in every derivation. */
  readonly round: number
}

type Chance = (below: number) => number

interface Round {
  readonly context: RoundContext
  readonly known: ModelledMemory
  readonly chance: Chance
  readonly events: LoomEvent[]
}

/** The events of one round, in the order of the topic; changes `known` as they do. */
export function randomRound(context: RoundContext, known: ModelledMemory, chance: Chance): readonly LoomEvent[] {
  const round = { context, known, chance, events: [] }
  const kinds = { t: boxRound, f: factRound, w: linkRound, c: entryRound }
  kinds[context.derivation[0] as keyof typeof kinds](round)
  return round.events
}

function envelope({ events, context }: Round): Omit<DerivedRecord, 'type' | 'keyId'> {
  const { tenant, space, round: seq, derivation } = context
  const lineage = { derivation, method: 'rules', causes: [], completions: [] }
  const letter = derivation[0]
  return { id: `${letter}${seq}-${events.length}`, tenant, space, seq, ordinal: events.length, knownAt: seq, lineage }
}

function one(round: Round, prefix: string): string | null {
  const ids = [...round.known.keys()].filter((id) => id.startsWith(`${prefix}/`))
  return ids.length === 0 ? null : (ids[round.chance(ids.length)]?.slice(prefix.length + 1) ?? null)
}

/** Half of the texts differ between derivations. */
function wording(round: Round): string {
  const { derivation, round: seq } = round.context
  return round.chance(2) === 0 ? `text of ${seq}` : `text of ${seq} by ${derivation}`
}

function boxRound(round: Round): void {
  const { known, events, chance } = round
  const common = envelope(round)
  const said = (n: number) => ({ id: `${common.id}.u${n}`, seq: n, at: 1, attachments: [], text: `line ${n} talk` })
  const utterances = [0, 1].map((n) => ({ ...said(n), speaker: 'Ada', role: 'human' as const }))
  const box = {
    type: 'BoxSealed',
    ...common,
    conversation: 'c',
    cut: 'shift',
    topic: 'talk',
    keywords: ['line'],
  } as const
  events.push({ ...box, utterances, startedAt: 1, endedAt: 2, keyId: null })
  known.set(`topic/${common.id}`, utterances.map(({ id }) => id).join())
  const id = one(round, 'topic')
  if (id === null || chance(3) > 0) return
  const all = (known.get(`topic/${id}`) ?? '').split(',')
  const left = all.slice(1)
  const undone = { type: 'LinesRetracted', ...envelope(round), conversation: 'c', box: id } as const
  events.push({ ...undone, utterances: all.slice(0, 1), left: left.length })
  if (left.length === 0) known.delete(`topic/${id}`)
  else known.set(`topic/${id}`, left.join())
}

function factRound(round: Round): void {
  const { known, events, chance } = round
  for (let n = 0; n <= chance(3); n++) {
    const common = envelope(round)
    const text = wording(round)
    const about = { subject: 'Ada', relation: 'is', object: 'here', speaker: 'Ada', role: 'human', saidAt: 1 } as const
    const lists = {
      persons: [],
      entities: [],
      keywords: [],
      sources: ['u'],
      inferred: [],
      correction: null,
      keyId: null,
    }
    const where = { box: 'b', conversation: 'c', when: null, location: null, kind: 'state' } as const
    const unsaid = { until: null, isChange: false, isInstruction: false }
    events.push({ type: 'FactRecorded', ...common, ...where, ...unsaid, ...about, ...lists, text })
    known.set(`fact/${common.id}`, text)
  }
  const fact = one(round, 'fact')
  if (fact === null || chance(3) > 0) return
  const cause = chance(2) === 0 ? 'corrected' : 'undone'
  events.push({ type: 'FactRetracted', ...envelope(round), conversation: 'c', fact, correction: 'x', cause })
  known.delete(`fact/${fact}`)
}

function linkRound(round: Round): void {
  const { known, events, chance } = round
  const common = envelope(round)
  const text = wording(round)
  const link = envelope(round)
  const at = {
    trace: 'trace',
    event: common.id,
    box: 'b',
    previous: null,
    score: 0.5,
    position: chance(9),
    keyId: null,
  }
  events.push({ type: 'EventLinked', ...link, ...at, title: text })
  known.set(`link/${link.id}`, text)
  const bearer = one(round, 'link')
  if (bearer !== null && chance(3) === 0) {
    const retitled = { type: 'TraceRetitled', ...envelope(round), trace: 'trace', keyId: null } as const
    events.push({ ...retitled, title: `again ${text}`, links: [bearer] })
    known.set(`link/${bearer}`, `again ${text}`)
  }
  if (chance(4) > 0) return
  const end = { correction: 'x', cause: 'undone', event: common.id } as const
  events.push({ type: 'EventRetracted', ...envelope(round), ...end, links: [link.id] })
  known.delete(`link/${link.id}`)
}

function entryRound(round: Round): void {
  const { known, events, chance } = round
  const common = envelope(round)
  const text = wording(round)
  const document = `d${chance(3)}`
  const said = { speaker: 'Ada', role: 'human', facts: ['f'], sources: ['u'], keyId: null } as const
  const of = { document, kind: 'profile', title: 'Ada', heading: 'Home', when: null, validFrom: 1 } as const
  const held = { isOneOfSeveral: true, askedAs: [], until: null, saidAt: 1, factKind: 'state' } as const
  events.push({ type: 'EntryWritten', ...common, ...of, ...held, ...said, text })
  known.set(`entry/${common.id}`, `Ada: ${text}`)
  const old = one(round, 'entry')
  if (old !== null && chance(3) === 0) {
    const retired = { type: 'EntryRetired', ...envelope(round), document, entry: old, validTo: 2 } as const
    events.push({ ...retired, by: common.id, reason: 'superseded' })
    known.delete(`entry/${old}`)
  }
  const bearer = chance(3) === 0 ? one(round, 'entry') : null
  const title = bearer === null ? 'Ada' : `Ada ${chance(9)}`
  const described = { type: 'DocumentDescribed', ...envelope(round), document, kind: 'topic', entity: null } as const
  const retitled = bearer === null ? [] : [bearer]
  events.push({ ...described, title, summary: text, entries: 1, retitled, keyId: null })
  known.set(`document/${document}`, `${title}: ${text}`)
  if (bearer !== null)
    known.set(`entry/${bearer}`, `${title}: ${(known.get(`entry/${bearer}`) ?? '').replace(/^[^:]*: /, '')}`)
}
