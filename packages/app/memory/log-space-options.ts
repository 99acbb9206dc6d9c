/** The parts that a space of a log needs. */
import type { GenerationRequest, ReadableGeneration } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import type { RecallRecorder } from '@loomlog/recall/recall-recorder'
import type { WithIntake } from './short-lived-intake.ts'

/**
 * Runs one read of the memory, of the tenant's live generation or of a named one.
 * @throws LoomlogError `not-found`, `generation-refused`
 */
export type WithReading = <T>(
  work: (reading: ReadableGeneration) => Promise<T>,
  named?: GenerationRequest | null,
) => Promise<T>

export interface LogSpaceOptions {
  readonly host: Host
  readonly tenant: string
  /** Null: served recalls are not recorded. */
  readonly recalls: RecallRecorder | null
  readonly withReading: WithReading
  readonly withIntake: WithIntake
}
