/**
 * What is made of a text, remembered for texts that come again and again. With many of them all are made anew, and long ones always are, so
 * that it never takes more than its share of memory.
 */

export interface Memorable {
  /** Texts remembered; with one more, all are forgotten. */
  readonly texts: number
  /** How long one of them may be. */
  readonly characters: number
}

/** @param make pure */
export function remembered<T>({ texts, characters }: Memorable, make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const made = make(text)
    if (text.length > characters) return made
    if (known.size >= texts) known.clear()
    known.set(text, made)
    return made
  }
}
