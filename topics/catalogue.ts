/**
 * The catalogue: every topic with its key, its records, its writers and its readers. The table in README.md is
 * generated from it. Each derivation has its own copy of a derived topic: `facts.<derivation>`.
 */

export interface TopicSpec {
  readonly name: string
  /** `space`: keyed `tenant/space` with as many partitions as `utterances`. `one`: a single partition. */
  readonly partitioning: 'space' | 'one'
  /** The topic that its writer reads. Null: it is not derived. */
  readonly derivedFrom: string | null
  /** Null: kept without limit. */
  readonly retentionMs: number | null
  /** The records that it may hold, by Avro name. */
  readonly records: readonly string[]
  readonly writers: readonly string[]
  readonly readers: readonly string[]
  readonly about: string
}

/** The stages that come with loomlog, in the order of the flow. */
const stages = ['topic-loom', 'fact-extractor', 'trace-weaver', 'consolidator']

export const catalogue = [
  {
    name: 'utterances',
    partitioning: 'space',
    derivedFrom: null,
    retentionMs: null,
    records: [
      'UtteranceAppended',
      'ConversationPaused',
      'SpacePaused',
      'RetryRequested',
      'MemoryCorrected',
      'EvidenceRetracted',
      'FeedbackGiven',
      'SubjectForgotten',
    ],
    writers: ['gateway', 'cli'],
    readers: ['topic-loom', 'materializer', 'publisher', 'recall', 'gateway'],
    about: 'Everything that people and agents did: the truth.',
  },
  {
    name: 'topic-shifts',
    partitioning: 'space',
    derivedFrom: 'utterances',
    retentionMs: null,
    records: [
      'BoxSealed',
      'LinesRetracted',
      'SpacePaused',
      'MemoryCorrected',
      'EvidenceRetracted',
      'RetryRequested',
      'SubjectForgotten',
      'WatermarkAdvanced',
    ],
    writers: ['topic-loom'],
    readers: ['fact-extractor', 'materializer', 'publisher'],
    about: 'Boxes, sealed by topic shifts.',
  },
  {
    name: 'facts',
    partitioning: 'space',
    derivedFrom: 'topic-shifts',
    retentionMs: null,
    records: [
      'FactRecorded',
      'FactRetracted',
      'FactWithheld',
      'WindowExtracted',
      'CorrectionApplied',
      'EvidenceRetracted',
      'RetryRequested',
      'SubjectForgotten',
      'WatermarkAdvanced',
    ],
    writers: ['fact-extractor'],
    readers: ['consolidator', 'trace-weaver', 'materializer', 'publisher'],
    about: 'Self-contained restatements with their sources.',
  },
  {
    name: 'event-links',
    partitioning: 'space',
    derivedFrom: 'facts',
    retentionMs: null,
    // Only older derivations, which extracted events themselves, have EventRecorded.
    records: [
      'EventRecorded',
      'EventLinked',
      'EventRetracted',
      'TraceRetitled',
      'SubjectForgotten',
      'WatermarkAdvanced',
    ],
    writers: ['trace-weaver'],
    readers: ['materializer', 'publisher'],
    about: 'Traces: the links between facts that happened or are planned, across boxes.',
  },
  {
    name: 'consolidations',
    partitioning: 'space',
    derivedFrom: 'facts',
    retentionMs: null,
    records: [
      'EntryWritten',
      'EntryRetired',
      'DocumentDescribed',
      'BatchConsolidated',
      'SubjectForgotten',
      'WatermarkAdvanced',
    ],
    writers: ['consolidator'],
    readers: ['materializer', 'publisher'],
    about: 'Topic documents and profiles, entry by entry.',
  },
  {
    name: 'completions',
    partitioning: 'space',
    derivedFrom: null,
    retentionMs: null,
    records: ['AnswerRecorded'],
    writers: stages,
    readers: [...stages, 'materializer'],
    about: 'Recorded answers of models and embedders; never compacted.',
  },
  {
    name: 'generations',
    partitioning: 'one',
    derivedFrom: null,
    retentionMs: null,
    records: ['DerivationDefined', 'GenerationDefined', 'GenerationStatusChanged', 'GenerationPromoted'],
    writers: ['app'],
    readers: ['materializer', 'publisher', 'recall', 'gateway', 'cli'],
    about: 'Derivations and generations, their status, and which generation is live.',
  },
  {
    name: 'keys',
    partitioning: 'one',
    derivedFrom: null,
    retentionMs: null,
    records: ['KeyCreated', 'KeyRevoked'],
    writers: ['cli'],
    readers: ['gateway', 'cli'],
    about: 'API keys: digest, tenant, scopes, authors, expiry; and which are revoked or replaced.',
  },
  {
    name: 'key-uses',
    partitioning: 'one',
    derivedFrom: null,
    retentionMs: 400 * 86_400_000,
    records: ['KeysUsed'],
    writers: ['gateway'],
    readers: ['cli'],
    about: 'The hours in which API keys were used, for lists of keys.',
  },
  {
    name: 'memory-events',
    partitioning: 'space',
    derivedFrom: null,
    retentionMs: null,
    records: [
      'TopicPublished',
      'FactPublished',
      'EventPublished',
      'LinkPublished',
      'EntryPublished',
      'DocumentPublished',
      'CorrectionPublished',
      'ProgressMarked',
      'GenerationSwitched',
      'ForgettingPublished',
    ],
    writers: ['publisher'],
    readers: ['gateway', 'webhooks'],
    about: 'The feed of the live generation, for other programs: insertions, retractions, and how far it has come.',
  },
  {
    name: 'webhooks',
    partitioning: 'space',
    derivedFrom: null,
    retentionMs: null,
    records: ['WebhookCreated', 'WebhookStatusChanged', 'DeliveryParked', 'ReplayRequested', 'DeliveryReplayed'],
    writers: ['gateway', 'cli', 'webhooks'],
    readers: ['webhooks', 'gateway', 'cli'],
    about: 'Webhooks of the feed, keyed `tenant/webhook`, with their status and the deliveries that failed.',
  },
  {
    name: 'parked',
    partitioning: 'space',
    derivedFrom: null,
    retentionMs: null,
    records: ['InputParked', 'ParkedInputRetried'],
    writers: [...stages, 'materializer'],
    readers: ['cli', 'gateway'],
    about: 'Inputs that failed, whole, with the reason; and retries of them that succeeded.',
  },
  {
    name: 'forgettings',
    partitioning: 'space',
    derivedFrom: null,
    retentionMs: null,
    records: ['ForgettingRequested', 'RecordsListed', 'ForgettingStatusChanged'],
    writers: ['gateway', 'cli'],
    readers: ['gateway', 'cli'],
    about: 'Requests to forget, how far each is, and the hashes of the records that it destroyed.',
  },
  {
    name: 'audit',
    partitioning: 'one',
    derivedFrom: null,
    retentionMs: 400 * 86_400_000,
    records: ['RequestAudited'],
    writers: ['gateway'],
    readers: ['cli'],
    about: 'Requests with a key or a token: who did what, with which result.',
  },
  {
    name: 'recalls',
    partitioning: 'space',
    derivedFrom: null,
    retentionMs: 30 * 86_400_000,
    records: ['RecallServed'],
    writers: ['gateway', 'cli'],
    readers: ['cli'],
    about: 'Served recalls, for feedback and audit; can be turned off.',
  },
] as const satisfies readonly TopicSpec[]

export type TopicName = (typeof catalogue)[number]['name']

/** A topic of loomlog's own. */
export function topicSpec(name: TopicName): TopicSpec {
  const spec = catalogue.find((topic) => topic.name === name)
  if (!spec) throw new Error(`topics/catalogue.ts has no topic ${name}`)
  return spec
}

/** The topic's name in the log. The name of a derived topic carries the derivation. */
export function physicalTopic({ name, derivedFrom }: TopicSpec, derivation: string | null): string {
  if ((derivedFrom !== null) !== (derivation !== null)) {
    throw new Error(`${name} ${derivedFrom === null ? 'takes no' : 'needs a'} derivation`)
  }
  return derivation === null ? name : `${name}.${derivation}`
}
