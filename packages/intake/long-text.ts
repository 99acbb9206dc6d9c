/**
 * Cuts a text that is too long for one utterance between paragraphs, else between lines, sentences or words. The joined
 * parts are the text again.
 */

/** The ends that a part may have, the best first. */
const ends = [/\n\s*\n/g, /\n/g, /[.!?]\s/g, /\s/g]
/** An end before this share of a part is too early: the part would be short. */
const leastShare = 0.5

/** @param maxBytes of UTF-8 of each part */
export function splitText(text: string, maxBytes: number): readonly string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > maxBytes || Buffer.byteLength(rest) > maxBytes) {
    const part = firstPart(rest, maxBytes)
    parts.push(part)
    rest = rest.slice(part.length)
  }
  return rest === '' ? parts : [...parts, rest]
}

function firstPart(text: string, maxBytes: number): string {
  const most = text.slice(0, fittingLength(text, maxBytes))
  for (const end of ends) {
    const last = [...most.matchAll(end)].at(-1)
    const length = (last?.index ?? 0) + (last?.[0].length ?? 0)
    if (length >= leastShare * most.length) return most.slice(0, length)
  }
  return most
}

/** Characters that fit, without half of a surrogate pair. */
function fittingLength(text: string, maxBytes: number): number {
  let [fits, tooMany] = [0, Math.min(text.length, maxBytes) + 1]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (Buffer.byteLength(text.slice(0, middle)) <= maxBytes) fits = middle
    else tooMany = middle
  }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(fits - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(fits))
  return splitsPair ? fits - 1 : fits
}
