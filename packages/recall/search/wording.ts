/** The words of a memory, read once: a reader keeps the rows of a space that is recalled again and again. */
import type { Memory } from '../memory.ts'
import { type TextCues, textCuesOf } from '../ranking/text-cues.ts'
import { type Stems, stemsOf } from '../text/stems.ts'

export interface Wording {
  /** The text without the name of the speaker. */
  readonly words: string
  readonly stems: Stems
  readonly cues: TextCues
}

/** By row or memory. */
const known = new WeakMap<object, Wording>()

export function wordingOf(spoken: Pick<Memory, 'text' | 'speaker'>): Wording {
  const before = known.get(spoken)
  if (before !== undefined) return before
  const words = withoutSpeaker(spoken)
  const wording = { words, stems: stemsOf(words), cues: textCuesOf(words) }
  known.set(spoken, wording)
  return wording
}

export function withoutSpeaker({ text, speaker }: Pick<Memory, 'text' | 'speaker'>): string {
  return text.startsWith(`${speaker}: `) ? text.slice(speaker.length + 2) : text
}
