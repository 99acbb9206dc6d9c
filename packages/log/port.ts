/**
 * The Log port: the replayable source of truth that everything above is derived from. Two adapters implement it, sqlite
 * (one machine) and kafka (many), and one contract suite tests both against these promises.
 *
 * Invariants:
 * 1. Durable on return: once `append` or `commit` has returned, its records survive the death of the process and of the
 *    machine.
 * 2. Ordered: offsets rise within a partition, possibly with holes. Readers get committed records only, in this order.
 * 3. Same key, same partition: murmur2 of the UTF-8 key, as every Kafka client does it.
 * 4. One owner: one lease at a time holds a partition of a group, with a higher epoch than the lease before. `commit`
 *    is all or nothing, and throws `fenced` if the owner has lost the partition.
 * 5. Positions are low-water marks: every record below is done; some records above may be done too.
 * 6. Every topic gets an identity when it is created. A position beyond the end of a partition means that the log was
 *    replaced or cut short: it is refused with `log-replaced`, never taken for "caught up" (see checkpoint.ts).
 */

export interface NewRecord {
  /** `tenant/space`, or null for control records, which name their partition. */
  readonly key: string | null
  /** Confluent wire format: 0, schema id in four bytes, Avro. */
  readonly value: Uint8Array
  /** Log time in ms since the epoch. */
  readonly timestamp: number
  /** Only for records without a key: a key determines the partition. */
  readonly partition?: number
  /** For other clients of a Kafka topic: they repeat parts of the value. Readers don't get them; sqlite drops them. */
  readonly headers?: { readonly [name: string]: string }
  /**
   * The trace that the record belongs to (W3C Trace Context), while traces are configured. A header on Kafka. Nothing
   * is derived from it.
   */
  readonly traceparent?: string
}

export interface LogRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly value: Uint8Array
  readonly timestamp: number
  /** As it was appended. */
  readonly traceparent?: string
}

export interface Position {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

export interface TopicConfig {
  readonly name: string
  readonly partitions: number
  /** How long records are kept, in ms; null: for ever. */
  readonly retentionMs: number | null
}

/** A setting of a topic that differs from the one that `createTopic` gives it. */
export interface TopicDrift {
  readonly topic: string
  readonly setting: string
  readonly found: string
  readonly wanted: string
  /** Whether `createTopic` corrects it. */
  readonly isSettable: boolean
}

export interface Output {
  readonly topic: string
  readonly record: NewRecord
}

/** A small keyed record of a processor; `value: null` deletes it. */
export interface StateChange {
  readonly key: string
  readonly value: Uint8Array | null
}

/** Committed state of one partition of a group. Both adapters hold it in local SQLite, so reading it is synchronous. */
export interface StateReader {
  get(key: string): Uint8Array | null
  /** The values of the keys that exist, in one read. */
  getMany(keys: readonly string[]): ReadonlyMap<string, Uint8Array>
  /** Records whose key starts with `prefix`, by key (bytewise), at most `limit`. */
  range(prefix: string, limit: number): readonly (readonly [key: string, value: Uint8Array])[]
  /** At most `limit` records whose key starts with `prefix`, whichever are found first. Cheaper than `range`. */
  some(prefix: string, limit: number): readonly (readonly [key: string, value: Uint8Array])[]
}

export interface Commit {
  readonly outputs: readonly Output[]
  readonly state: readonly StateChange[]
  /** The next offset of the input that is not done; never lower than before. */
  readonly position: number
}

/** The right to process one partition of a group, until `signal` aborts. */
export interface Lease {
  readonly topic: string
  readonly partition: number
  /** Rises with every change of owner. */
  readonly epoch: number
  /** The committed position when the lease was taken; 0 for a new group. */
  readonly position: number
  readonly state: StateReader
  /** Aborts when the lease is lost, handed over or its membership closes. */
  readonly signal: AbortSignal
  /**
   * The next records of the partition, in order, from `position` on; each is handed out once. Waits up to `maxWaitMs`
   * for the first one; an empty array means that none came, or that the signal aborted. @throws LoomlogError
   * `log-replaced` where the partition ends before the next offset
   */
  poll(limits: { readonly maxRecords: number; readonly maxWaitMs: number }): Promise<readonly LogRecord[]>
  /**
   * `poll` continues at this offset, below or above the position: for readers that keep their own position elsewhere.
   */
  seek(offset: number): void
  /**
   * Outputs, state and position, all or nothing; durable on return. @throws LoomlogError `fenced`; `record-too-large`,
   * `topic-unknown`: nothing was written, and the lease continues. A broker whose limit is below the port's refuses the
   * record only during the commit: `record-too-large` then ends the lease. So does, once, as `fenced`, a topic that
   * another process has just deleted.
   */
  commit(commit: Commit): Promise<void>
}

export interface JoinOptions {
  readonly group: string
  readonly topic: string
  /**
   * A member without a heartbeat for this long loses its leases, in ms. Default: the adapter's (sqlite 5,000, kafka
   * 10,000).
   */
  readonly sessionMs?: number
  /**
   * Called for each lease taken; runs until `lease.signal` aborts, and then returns soon: only after that is the
   * partition handed on. If it throws, the lease is given up, the error goes to `onError`, and the partition is taken
   * again after a pause.
   */
  onLease(lease: Lease): Promise<void>
  onError(error: unknown): void
  /** Closes the membership when it aborts, also while it is still joining: `join` then returns one that is closed. */
  readonly signal?: AbortSignal
}

/** This process's part in a group. Members share the partitions evenly. */
export interface Membership {
  readonly heldPartitions: readonly number[]
  /** Gives up all leases, waits for their handlers, and leaves. Idempotent. */
  close(): Promise<void>
}

export interface ReadOptions {
  readonly topic: string
  /** Which partitions; default all. */
  readonly partitions?: readonly number[]
  /** First offset by partition; default 0. */
  readonly from?: ReadonlyMap<number, number>
  /** `end`: up to the end offsets when the iteration begins. `follow`: without an end, new records within 50 ms. */
  readonly until: 'end' | 'follow'
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal
  /** Most records in a batch. Default 1,000. */
  readonly maxRecords?: number
}

export interface GroupLag {
  readonly group: string
  readonly topic: string
  readonly partition: number
  /** The committed position. */
  readonly position: number
  readonly epoch: number
  /** The owner of the lease; null: there is none. */
  readonly owner: string | null
}

/** The registry of writer schemas. Ids are never reused. */
export interface SchemaRegistry {
  /**
   * The id of this schema under this subject (the record's full name); registers it if it is new.
   * @throws LoomlogError `schema-refused` where it is not compatible with the versions before it
   */
  register(subject: string, schema: string, compatibility: Compatibility): Promise<number>
  /**
   * Waits for a registry that may lag behind the records.
   * @throws LoomlogError `schema-unknown`: the schema didn't come in time
   */
  schema(id: number): Promise<string>
}

export type Compatibility = 'FULL_TRANSITIVE' | 'BACKWARD_TRANSITIVE'

/** Encrypts bytes beside the log, such as views, with the keys of the log. */
export interface Sealer {
  /** Creates the keys of these spaces (`tenant/space`; null: what belongs to no space), where there is none yet. */
  ready(spaces: readonly (string | null)[]): Promise<void>
  /** Seals bytes with the space's newest key. It must be `ready`. */
  seal(space: string | null, plain: Uint8Array): Uint8Array
  /**
   * Null: the key was destroyed, since the bytes are to be forgotten; or another process made it after the last
   * `refreshFor`. @throws LoomlogError `input-invalid` for bytes that were changed, or are another space's;
   * `key-unavailable`
   */
  open(space: string | null, sealed: Uint8Array): Uint8Array | null
  /** Null: the key of these bytes is known. Otherwise reads the keys of other processes, and then `open` decides. */
  refreshFor(sealed: Uint8Array): Promise<void> | null
  /** A keyed hash of 22 characters, in place of text in look-ups. It stays the same as long as the log exists. */
  name(text: string): string
}

/** The keys of an encrypted log. */
export interface Sealing extends Sealer {
  /** A new key, for later calls of `seal`. Other processes use it a second later at the latest. */
  rotate(space: string): Promise<void>
  /**
   * The records of a space from these offsets on, by partition, that are still sealed with a retired key: appends that
   * began before a rotation and ended after it. Copy them before that key is destroyed.
   */
  outdated(space: string, topic: string, from: ReadonlyMap<number, number>): Promise<readonly LogRecord[]>
  /** Destroys all keys of the space but the newest. Returns how many. Their bytes can't be opened again, by anyone. */
  destroyRetired(space: string): Promise<number>
}

export interface Log {
  /** Null: the log is not encrypted. */
  readonly sealing: Sealing | null
  /** False: `erase` changes nothing. A record is destroyed with the key that it is sealed with. */
  readonly erasesRecords: boolean
  readonly schemas: SchemaRegistry
  /**
   * How old a partition's end offset may be for a writer that looks for duplicates, in ms. 0: reading an end is free.
   * Otherwise the writer reuses a known end; the offsets of its appends show whether others appended meanwhile.
   */
  readonly maxEndAgeMs: number
  /**
   * Idempotent. Corrects the settings of an existing topic as far as possible. @throws LoomlogError `topic-mismatch` if
   * it has another number of partitions
   */
  createTopic(config: TopicConfig): Promise<void>
  /** The differences between existing topics and these specs, changelogs included. Missing topics are left out. */
  topicDrift(configs: readonly TopicConfig[]): Promise<readonly TopicDrift[]>
  /** Deletes a topic with its records. Idempotent; group positions on it go too. */
  deleteTopic(name: string): Promise<void>
  topics(): Promise<readonly TopicConfig[]>
  /**
   * Appends in order; durable on return. Where it throws, some of the records may be in the log: appending them again
   * is safe, because readers drop duplicates by id. @throws LoomlogError `topic-unknown`, `record-too-large`,
   * `log-full`
   */
  append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]>
  /**
   * Identifies the topic in this log. A topic of the same name in another log has another identity, and so has one that
   * is created after this one was deleted. A restored copy of the log keeps it. @throws LoomlogError `topic-unknown`
   */
  identity(topic: string): Promise<string>
  /** The offset after the last committed record, by partition: the position of a reader that has done everything. */
  endOffsets(topic: string): Promise<readonly number[]>
  /** @throws LoomlogError `topic-unknown`; `log-replaced` where a partition ends before the start offset */
  read(options: ReadOptions): AsyncIterable<readonly LogRecord[]>
  join(options: JoinOptions): Promise<Membership>
  /**
   * Destroys records: their bytes are in no file of the log on return, older versions of them included. Their offsets
   * become holes; ends and positions stay. The last record of a partition is handed out, empty, so that readers reach
   * the end. Idempotent. On Kafka it changes nothing, since a broker deletes segments, not records: there, destroying
   * the key that a record is sealed with destroys the record.
   * @throws LoomlogError `topic-unknown`; `log-full`, `log-unavailable`: call it again with the same positions
   */
  erase(positions: readonly Position[]): Promise<void>
  /** The committed positions and owners of every group, for status. */
  groups(): Promise<readonly GroupLag[]>
  /**
   * Removes a group's positions, state and leases. Idempotent.
   * @throws LoomlogError `group-in-use` while it has members
   */
  deleteGroup(group: string): Promise<void>
  /** Closes memberships first. Idempotent. */
  close(): Promise<void>
}

/** Size limit of a record's value, and of a state record with its key, in bytes. */
export const maxRecordBytes = 1_000_000
/** Size limit of a record's key, in bytes of UTF-8: a broker takes such a key beside the largest value. */
export const maxKeyBytes = 32_768
