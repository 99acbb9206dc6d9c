/**
 * The form of an archive: one space of a memory as JSON lines, usually gzipped. A header, the recorded answers, the
 * source events in the order of the space, and a trailer with the number of records and the SHA-256 of every byte
 * before it. No record is derived, and none has an offset: an equal memory gives an equal archive, and any log can read
 * it.
 */
import type { Recipe } from '@loomlog/generations/recipe'
import type { AnswerRecorded, SourceEvent } from '@loomlog/schemas/events'

export const archiveFormat = 'loomlog-archive'
/** Raised when older readers would misread a record. */
export const archiveVersion = 1

export interface ArchiveHeader {
  readonly format: typeof archiveFormat
  readonly version: number
  readonly tenant: string
  readonly space: string
  /** The version of loomlog that wrote the archive. */
  readonly loomlog: string
  /** The live generation, as information: a reader derives with its own. Null: the log had none yet. */
  readonly generation: ArchivedGeneration | null
}

export interface ArchivedGeneration {
  readonly id: string
  readonly viewEmbedder: string
  readonly stages: readonly ArchivedStage[]
}

export interface ArchivedStage {
  readonly stage: string
  readonly derivation: string
  readonly recipe: Recipe | null
}

export type ArchivedTopic = 'completions' | 'utterances'

/** A line of an archive. Source events hold their log time. */
export type ArchivedRecord =
  | { readonly topic: 'completions'; readonly appendedAt: number; readonly record: ArchivedAnswer }
  | { readonly topic: 'utterances'; readonly record: SourceEvent }

/** The vector is base64. */
export type ArchivedAnswer = Omit<AnswerRecorded, 'vector'> & { readonly vector: string | null }

export type ArchiveCounts = { readonly [topic in ArchivedTopic]: number }

export interface ArchiveTrailer {
  readonly end: ArchiveCounts & { readonly sha256: string }
}
