/**
 * The catalogue: every topic there is, with its key, what may stand in it, who writes it and who reads it. Code asks here; the
 * table in ARCHITECTURE.md is generated from it. A derived topic exists once for each derivation: `facts.<derivation>`.
 */

export interface TopicSpec {
  readonly name: string
  /** `space`: keyed `tenant/space` with as many partitions as `utterances`. `one`: a single partition. */
  readonly partitioning: 'space' | 'one'
  /** Derived topics exist once a derivation, under `name.derivation`. */
  readonly derived: 'yes' | 'no'
  /** null: kept for ever. */
  readonly retentionMs: number | null
  /** The records that may stand in it, by Avro name. */
  readonly records: readonly string[]
  readonly writers: readonly string[]
  readonly readers: readonly string[]
  readonly about: string
}

export const catalogue = [
  {
    name: 'utterances',
    partitioning: 'space',
    derived: 'no',
    retentionMs: null,
    records: [
      'UtteranceAppended',
      'ConversationPaused',
      'RetryRequested',
      'MemoryCorrected',
      'EvidenceRetracted',
      'FeedbackGiven',
      'SubjectForgotten',
    ],
    writers: ['gateway', 'cli'],
    readers: ['topic-loom', 'materializer', 'recall', 'gateway'],
    about: 'What people and agents did: the truth.',
  },
  {
    name: 'topic-shifts',
    partitioning: 'space',
    derived: 'yes',
    retentionMs: null,
    records: [
      'BoxSealed',
      'LinesRetracted',
      'MemoryCorrected',
      'EvidenceRetracted',
      'RetryRequested',
      'WatermarkAdvanced',
    ],
    writers: ['topic-loom'],
    readers: ['fact-extractor', 'trace-weaver', 'materializer'],
    about: 'Boxes, as topic shifts seal them.',
  },
  {
    name: 'facts',
    partitioning: 'space',
    derived: 'yes',
    retentionMs: null,
    records: [
      'FactRecorded',
      'FactRetracted',
      'CorrectionApplied',
      'EvidenceRetracted',
      'RetryRequested',
      'WatermarkAdvanced',
    ],
    writers: ['fact-extractor'],
    readers: ['consolidator', 'materializer'],
    about: 'Self-contained restatements with their sources.',
  },
  {
    name: 'event-links',
    partitioning: 'space',
    derived: 'yes',
    retentionMs: null,
    records: ['EventRecorded', 'EventLinked', 'EventRetracted', 'TraceRetitled', 'WatermarkAdvanced'],
    writers: ['trace-weaver'],
    readers: ['materializer'],
    about: 'Events, and the timelines across boxes that they join.',
  },
  {
    name: 'consolidations',
    partitioning: 'space',
    derived: 'yes',
    retentionMs: null,
    records: ['EntryWritten', 'EntryRetired', 'DocumentDescribed', 'WatermarkAdvanced'],
    writers: ['consolidator'],
    readers: ['materializer'],
    about: 'Topic documents and profiles, entry by entry.',
  },
  {
    name: 'completions',
    partitioning: 'space',
    derived: 'no',
    retentionMs: null,
    records: ['AnswerRecorded'],
    writers: ['topic-loom', 'fact-extractor', 'trace-weaver', 'consolidator'],
    readers: ['topic-loom', 'fact-extractor', 'trace-weaver', 'consolidator', 'materializer'],
    about: 'Every answer that was asked for; never compacted.',
  },
  {
    name: 'generations',
    partitioning: 'one',
    derived: 'no',
    retentionMs: null,
    records: ['DerivationDefined', 'GenerationDefined', 'GenerationStatusChanged', 'GenerationPromoted'],
    writers: ['cli'],
    readers: ['materializer', 'recall', 'gateway', 'cli'],
    about: 'Which derivations and generations exist, which are derived, and which one answers.',
  },
  {
    name: 'parked',
    partitioning: 'space',
    derived: 'no',
    retentionMs: null,
    records: ['InputParked'],
    writers: ['topic-loom', 'fact-extractor', 'trace-weaver', 'consolidator', 'materializer'],
    readers: ['cli', 'gateway'],
    about: 'Inputs that could not be processed, whole, with the reason.',
  },
  {
    name: 'recalls',
    partitioning: 'space',
    derived: 'no',
    retentionMs: 30 * 86_400_000,
    records: ['RecallServed'],
    writers: ['gateway', 'cli'],
    readers: ['cli'],
    about: 'What was recalled, for feedback and audit; can be turned off.',
  },
] as const satisfies readonly TopicSpec[]

export type TopicName = (typeof catalogue)[number]['name']

export function topicSpec(name: TopicName): TopicSpec {
  const spec = catalogue.find((topic) => topic.name === name)
  if (!spec) throw new Error(`no topic ${name} in the catalogue`)
  return spec
}

/** Every processor reads one topic, beside its own recorded answers. */
export function inputOf(stage: string): TopicName {
  const input = catalogue.find(
    (spec) => spec.name !== 'completions' && (spec.readers as readonly string[]).includes(stage),
  )
  if (!input) throw new Error(`the catalogue has no topic that ${stage} reads`)
  return input.name
}

/** The topic as it is called in the log; derived ones carry their derivation. */
export function physicalTopic(name: TopicName, derivation: string | null): string {
  const derived = topicSpec(name).derived === 'yes'
  if (derived !== (derivation !== null)) {
    throw new Error(`${name} ${derived ? 'needs a' : 'takes no'} derivation`)
  }
  return derivation === null ? name : `${name}.${derivation}`
}
