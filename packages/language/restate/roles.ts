/** Who is who in an utterance. */
import type { Antecedents } from './antecedents.ts'

export interface Roles {
  readonly speaker: string
  readonly addressee: string | null
  /** Whom `we` means: the speaker, or the speaker and others; null: not clear. */
  readonly we: readonly string[] | null
  readonly antecedents: Antecedents
}
