/** The input and the answer of the task. They hold content only, under local labels. */

export type BoxLines = {
  /** Messages of people and agents; `at` is ISO 8601, in UTC. */
  readonly lines: readonly {
    readonly label: string
    readonly speaker: string
    readonly at: string
    readonly text: string
  }[]
  readonly participants: readonly string[]
}

export type FoundPromise = {
  /** The label of its line. */
  readonly line: string
  /** The words after "promised to". */
  readonly action: string
  readonly to: string | null
  /** ISO 8601; `to` is exclusive. */
  readonly due: { readonly from: string; readonly to: string; readonly text: string } | null
}
export type FoundPromises = { readonly promises: readonly FoundPromise[] }
