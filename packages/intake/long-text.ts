/**
 * A text that is too long for one utterance, as the texts of several: cut between paragraphs, else between lines, sentences or words. Joined, the
 * parts are the text again.
 */

/** The ends that a part may have, the best first. */
const ends = [/\n\s*\n/g, /\n/g, /[.!?]\s/g, /\s/g]
/** An end before this share of a part is too early: the part would be short. */
const leastShare = 0.5

/** @param maxBytes of UTF-8 of each part */
export function partsOf(text: string, maxBytes: number): readonly string[] {
  const parts: string[] = []
  let rest = text
  while (Buffer.byteLength(rest) > maxBytes) {
    const part = firstPart(rest, maxBytes)
    parts.push(part)
    rest = rest.slice(part.length)
  }
  return rest === '' ? parts : [...parts, rest]
}

function firstPart(text: string, maxBytes: number): string {
  // Not within a surrogate pair: such a half becomes U+FFFD, which has as many bytes as the limit allows for.
  const most = new TextDecoder()
    .decode(Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes))
    .replace(/\u{FFFD}+$/u, '')
  for (const end of ends) {
    const last = [...most.matchAll(end)].at(-1)
    const length = (last?.index ?? 0) + (last?.[0].length ?? 0)
    if (length >= leastShare * most.length) return most.slice(0, length)
  }
  return most
}
