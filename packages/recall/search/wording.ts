/** The words of a memory. */
import type { Memory } from '../memory.ts'
import { TextCues } from '../ranking/text-cues.ts'
import { type Stems, stemsOf } from '../text/stems.ts'

export interface Wording {
  /** The text without the name of the speaker. */
  readonly words: string
  readonly stems: Stems
  readonly cues: TextCues
}

export function wordingOf(spoken: Pick<Memory, 'text' | 'speaker'>): Wording {
  const words = withoutSpeaker(spoken)
  return { words, stems: stemsOf(words), cues: new TextCues(words) }
}

/** The sentences of a text beside those that no longer hold. */
export function sentencesWithout(text: string, outdated: readonly string[]): readonly string[] {
  const rest = outdated.reduce((all, sentence) => all.replaceAll(sentence, '\n'), text)
  return rest.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => /\w/.test(sentence))
}

export function withoutSpeaker({ text, speaker }: Pick<Memory, 'text' | 'speaker'>): string {
  return text.startsWith(`${speaker}: `) ? text.slice(speaker.length + 2) : text
}
