/**
 * Asks that repair an earlier answer have an account of their own: `consolidate-batch-repair` beside
 * `consolidate-batch`.
 */
import type { Ask } from './step.ts'

const suffix = '-repair'

/** The task by which the ask's answer is recorded and counted. */
export function recordedTask({ task, input }: Ask): string {
  return task.isRepair?.(input) ? `${task.name}${suffix}` : task.name
}

/** The task of a recorded answer, whose prompt it got. */
export function promptedTask(recorded: string): string {
  return recorded.endsWith(suffix) ? recorded.slice(0, -suffix.length) : recorded
}

/**
 * The repairs among the requests for one recorded answer: after an answer that was invalid, or that the step refused.
 */
export function repairsOf({ task, attempts }: { readonly task: string; readonly attempts: number }): number {
  return task.endsWith(suffix) ? attempts : attempts - 1
}
