/** Conversations with questions whose evidence people marked: the common format of all benchmarks. */
import { hash } from '@loomlog/schemas/ids'

export interface Turn {
  readonly id: string
  readonly session: number
  /** The time as the data has it. */
  readonly date: string
  readonly speaker: string
  /** The text, with the caption of the turn's image, if any. */
  readonly words: string
  /** False: an agent or a tool. */
  readonly isPerson: boolean
}

export interface Question {
  readonly sample: string
  readonly index: number
  readonly text: string
  readonly answer: string
  /** The category's name in the data. */
  readonly category: string
  readonly gold: readonly string[]
  /** For a question about a changed value: the evidence of the old value and of the new one. */
  readonly update?: { readonly older: readonly string[]; readonly newer: readonly string[] }
}

export interface Sample {
  readonly id: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

export interface Dataset {
  readonly samples: readonly Sample[]
  /** Evidence ids that name no turn, even after repair. */
  readonly droppedIds: readonly string[]
  /** Questions without gold evidence. */
  readonly withoutGold: readonly string[]
}

/**
 * Identifies a conversation by its content, under any name. The weights file lists the fingerprints of its
 * conversations.
 */
export function fingerprintOf({ turns }: Sample): string {
  return hash(turns.map(({ id, speaker, words }) => [id, speaker, words])).slice(0, 16)
}
