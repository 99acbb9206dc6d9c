/** For tests: one event of every type that changes a view, in the order of a pipeline. */
import type {
  BoxSealed,
  DocumentDescribed,
  EntryRetired,
  EntryWritten,
  EventLinked,
  FactRecorded,
  UtteranceAppended,
} from '@loomlog/schemas/events'

const place = { tenant: 'acme', space: 'home', keyId: null } as const
const lineage = { derivation: 'd1', method: 'rules', causes: ['u1'], completions: [] } as const
const derived = { ...place, seq: 3, ordinal: 1, knownAt: 900, lineage } as const
const said = {
  role: 'human',
  text: 'I sail.',
  attachments: [{ kind: 'image', description: 'a boat', uri: null }],
} as const

export function utterance(id = 'u1', text: string = said.text): UtteranceAppended {
  const spoken = { conversation: 'c', speaker: 'Ada', at: 50, appendedAt: 800, metadata: { from: 'chat' } }
  return {
    type: 'UtteranceAppended',
    id,
    ...place,
    ...said,
    ...spoken,
    isTimeGiven: true,
    canInstruct: true,
    text,
    principal: null,
  }
}

export const box: BoxSealed = {
  type: 'BoxSealed',
  id: 'box1',
  ...derived,
  conversation: 'c',
  utterances: [
    { id: 'u1', seq: 0, speaker: 'Ada', role: 'human', at: 50, text: 'I sail.', attachments: said.attachments },
    { id: 'u2', seq: 1, speaker: 'Ben', role: 'human', at: 60, text: 'Nice!', attachments: [] },
  ],
  cut: 'shift',
  topic: 'sailing',
  keywords: ['boat', 'sail'],
  startedAt: 50,
  endedAt: 60,
}

const about = { persons: ['Ada'], keywords: ['sail'], sources: ['u1'] } as const

export function fact(id = 'fact1', fields: Partial<FactRecorded> = {}): FactRecorded {
  const statement = { text: 'Ada sails.', kind: 'state', subject: 'Ada', relation: 'sails', object: '' } as const
  const spoken = { box: 'box1', conversation: 'c', speaker: 'Ada', role: 'human', saidAt: 50 } as const
  const unsaid = { until: null, isChange: false, isInstruction: false }
  const where = { when: null, location: null, entities: [], inferred: [], correction: null }
  return { type: 'FactRecorded', id, ...derived, ...statement, ...spoken, ...unsaid, ...where, ...about, ...fields }
}

export const link: EventLinked = {
  type: 'EventLinked',
  id: 'link1',
  ...derived,
  trace: 't',
  event: 'fact1',
  box: 'box1',
  previous: null,
  title: 'sailing',
  score: 0.5,
  position: 0,
}

export function entry(id = 'entry1'): EntryWritten {
  const stands = { document: 'doc1', kind: 'topic', title: 'Boats', heading: 'Home', text: 'Ada sails.' } as const
  const held = { isOneOfSeveral: true, askedAs: [], until: null, saidAt: 50, factKind: 'state' } as const
  const from = { when: null, validFrom: 50, speaker: 'Ada', role: 'human', facts: ['fact1'], sources: ['u1'] } as const
  return { type: 'EntryWritten', id, ...derived, ...stands, ...held, ...from }
}

export function entryRetired(of = 'entry1'): EntryRetired {
  const { keyId: _, ...without } = derived
  const why = { document: 'doc1', entry: of, by: 'entry2', reason: 'superseded', validTo: 150 } as const
  return { type: 'EntryRetired', id: `${of} retired`, ...without, ...why, knownAt: 950 }
}

export function documentDescribed(summary = 'Two boats.'): DocumentDescribed {
  const document = {
    document: 'doc1',
    kind: 'topic',
    entity: null,
    title: 'Boats',
    summary,
    entries: 2,
    retitled: [],
  } as const
  return { type: 'DocumentDescribed', id: `of ${summary}`, ...derived, ...document }
}
