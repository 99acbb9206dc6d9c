/** The roles in an utterance: speaker, addressee and antecedents. */
import type { Antecedents } from './antecedents.ts'

export interface Roles {
  readonly speaker: string
  readonly addressee: string | null
  /** The meaning of `we`: the speaker, or the speaker and others; null: unclear. */
  readonly we: readonly string[] | null
  readonly antecedents: Antecedents
}
