/** The input and the answer of the task. The input holds content only, under local labels and with full dates. */

export type ShownEntry = {
  readonly label: string
  /** When it holds: 2023-05-07, 2023-05.., ..2023; without words for it, the first day on which it does. */
  readonly time: string
  readonly heading: string
  readonly text: string
}

export type ShownDocument = {
  readonly label: string
  readonly title: string
  /** The kinds of things in it, without values; empty: unknown. */
  readonly holds: string
  /** Its current entries that the batch may touch. */
  readonly entries: readonly ShownEntry[]
}

export type ShownFact = {
  readonly label: string
  /** Whether it changes an earlier statement. */
  readonly isChange: boolean
  readonly time: string
  readonly kind: string
  /** An agent, a tool or a system: `agent Scout`; null: a person. */
  readonly by: string | null
  readonly text: string
}

export type BatchInput = {
  readonly documents: readonly ShownDocument[]
  /** In the order of their utterances. */
  readonly facts: readonly ShownFact[]
  /** Decisions of the first answer that can't be followed; absent in the first ask. */
  readonly refused?: readonly string[]
}

export type BatchPlan = { readonly rows: readonly string[] }
