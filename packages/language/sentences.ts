/** Splits a text into its sentences, without the white space between them. */
import { joined, tag } from './words.ts'

export function sentences(text: string): string[] {
  return text
    .split(/\n+/)
    .flatMap((line) => tag(line).map(joined))
    .filter((sentence) => sentence !== '')
}
