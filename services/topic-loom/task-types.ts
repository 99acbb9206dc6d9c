/** The inputs and answers of the tasks. They hold content only: speakers and words under local labels. */

export type ShiftInput = {
  /** The conversation's last two utterances since the last silence, older first; the window of Membox's Topic Loom. */
  readonly window: readonly Line[]
  readonly next: Line
}

export type Line = { readonly speaker: string; readonly text: string }

export type ShiftLabel = 'continuous' | 'partial' | 'discontinuous'

export type Shift = { readonly label: ShiftLabel }

export type BoxText = { readonly lines: readonly (Line & { readonly label: string })[] }

export type Description = { readonly topic: string; readonly keywords: readonly string[] }
