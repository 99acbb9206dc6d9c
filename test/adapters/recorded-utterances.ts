/** The utterances of a space, as the views have them. */
import assert from 'node:assert/strict'
import type { MemorySpace } from '@loomlog/client/memory'
import { eventually } from '../eventually.ts'

let calls = 0

/** All of the space's utterances, in the order of the alphabet: the views have them once they have a later one. */
export async function utterancesOf(space: MemorySpace): Promise<readonly string[]> {
  calls += 1
  const last = { speaker: 'test', text: `(end ${calls})` }
  await space.add({ ...last, role: 'system' }, { conversation: 'test' })
  let texts: readonly string[] = []
  await eventually(async () => {
    texts = (await space.list({ kind: 'utterance', state: 'all' })).memories.map(({ text }) => text)
    assert.ok(texts.includes(`test: ${last.text}`), texts.join('\n'))
  })
  return texts.filter((text) => !text.startsWith('test: (end ')).toSorted()
}
