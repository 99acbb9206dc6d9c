/**
 * The intake of one process that appends now and then. Calls at the same time share it. It is closed after the last of
 * them, so no index stays open, with entries that its file lacks, while the process does other work.
 */
import { Intake, type IntakeOptions } from '@loomlog/intake/append'

export type WithIntake = <T>(work: (intake: Intake) => Promise<T>) => Promise<T>

export function shortLivedIntake(options: IntakeOptions): WithIntake {
  let shared: Intake | null = null
  let calls = 0
  return async (work) => {
    shared ??= new Intake(options)
    const intake = shared
    calls += 1
    try {
      return await work(intake)
    } finally {
      calls -= 1
      if (calls === 0) {
        shared = null
        await intake.close()
      }
    }
  }
}
