import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import { start } from './start.ts'

/** Operations of a generation whose only stage has come so far. */
function operationsWith(stage: { readonly lag: number; readonly frozen: string | null }): GenerationOperations {
  const details = async () => ({ progress: [{ name: 'topic-loom', ...stage }] })
  return { start: async () => ({ generation: 'g1', plan: null }), details } as unknown as GenerationOperations
}

async function startAndWait(t: TestContext, operations: GenerationOperations) {
  const written: string[] = []
  const codeBefore = process.exitCode
  for (const stream of [process.stdout, process.stderr])
    t.mock.method(stream, 'write', (text: string) => written.push(String(text)) > 0)
  const command = { derive: async () => {}, json: false } as unknown as Parameters<typeof start>[0]
  try {
    await start(command, operations, new AbortController().signal)
    return { code: process.exitCode, text: written.join('') }
  } finally {
    t.mock.restoreAll()
    process.exitCode = codeBefore
  }
}

test('a generation has caught up where no part of it is behind', async (t) => {
  const { code, text } = await startAndWait(t, operationsWith({ lag: 0, frozen: null }))
  assert.deepEqual([code, text], [undefined, 'g1 has caught up\n'])
})

test('a frozen part that is behind fails the wait, with its reason', async (t) => {
  const { code, text } = await startAndWait(t, operationsWith({ lag: 3, frozen: 'it has no endpoint' }))
  assert.equal(code, 2)
  assert.match(text, /g1 has not caught up, .*topic-loom is frozen: it has no endpoint/)
  assert.doesNotMatch(text, /g1 has caught up/)
})
