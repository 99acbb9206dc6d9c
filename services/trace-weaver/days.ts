/** Days in UTC, in the form that asks use. */
export const dayMs = 24 * 60 * 60 * 1000

/** 2023-05-08 */
export function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
