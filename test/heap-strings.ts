/** Words in the strings of this process: what a forgetting must leave none of. */
import { randomBytes } from 'node:crypto'
import { getHeapSnapshot } from 'node:v8'

/** A word that no string of the heap has: its bytes, in letters, so that every tokenizer takes it for one word. */
export function freshCanary(): Buffer {
  return Buffer.from(`canary${randomBytes(8).toString('hex').replaceAll(/\d/g, 'q')}`)
}

/** By word: how many strings of the heap have it. Garbage is collected before. It takes seconds in a large process. */
export async function countStringsWith(words: readonly Buffer[]): Promise<readonly number[]> {
  const counts = words.map(() => 0)
  let rest = Buffer.alloc(0)
  for await (const part of getHeapSnapshot()) {
    const bytes = Buffer.concat([rest, part])
    for (const [which, word] of words.entries())
      for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + 1))
        counts[which] = (counts[which] ?? 0) + 1
    rest = bytes.subarray(1 - Math.min(...words.map(({ length }) => length)))
  }
  return counts
}
