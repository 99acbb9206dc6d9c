/** Conversations with questions whose evidence people marked: the form that every benchmark is read into. */
import { hash } from '@loomlog/schemas/ids'

export interface Turn {
  readonly id: string
  readonly session: number
  /** As the data writes it. */
  readonly date: string
  readonly speaker: string
  /** With the caption of the turn's image, if any. */
  readonly words: string
}

export interface Question {
  readonly sample: string
  readonly index: number
  readonly text: string
  readonly answer: string
  /** As the data names it. */
  readonly category: string
  readonly gold: readonly string[]
  /** Of a question about something that changed: the evidence of the old value and of the new one. */
  readonly update?: { readonly older: readonly string[]; readonly newer: readonly string[] }
}

export interface Sample {
  readonly id: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

export interface Dataset {
  readonly samples: readonly Sample[]
  /** Evidence ids that name no turn even after repair. */
  readonly droppedIds: readonly string[]
  readonly withoutGold: readonly string[]
}

/** Identifies a conversation by its content, under any name. Weights list the conversations they were learned from by it. */
export function fingerprintOf({ turns }: Sample): string {
  return hash(turns.map(({ id, speaker, words }) => [id, speaker, words])).slice(0, 16)
}
