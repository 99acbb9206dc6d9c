/** Corrections and undo by cause through the whole pipeline: in the live memory and in other derivations. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { measureCorrections } from '../eval/rederive/corrections.ts'
import { fixture } from './fixture.ts'
import { loomlog } from './loomlog.ts'

const planted = 5

test('corrections during a conversation hold in derivations with other boundaries and other words, and leave other facts alone', async () => {
  for (const [derivation, { outcomes, ...faults }] of Object.entries(await measureCorrections(planted))) {
    assert.deepEqual(faults, { newMissing: [], oldLeft: [], othersLost: [] }, derivation)
    assert.deepEqual(outcomes, { applied: planted }, derivation)
  }
})

test('an undo of a speaker removes what its preview lists, and only the log still has the speaker', async (t) => {
  const made = await fixture(t, 12)
  const dir = join(made.dir, 'log')
  const run = (...args: readonly string[]) => loomlog([...args, '--dir', dir, '--json'], made.environment)
  const done = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  await done('ingest', made.file)
  const preview = await done('retract', '--speaker', 'Scout', '--dry-run')
  assert.deepEqual([preview.utterances.length, preview.appended], [4, 0])
  assert.ok(preview.downstream.boxes.length > 0)
  const { utterances, downstream } = await done('retract', '--speaker', 'Scout', '--by', 'Ada')
  assert.deepEqual({ utterances, downstream }, { utterances: preview.utterances, downstream: preview.downstream })
  const { memories } = await done('recall', 'Scout told of the boat', '--limit', '100')
  assert.ok(memories.length > 0)
  for (const { text, sources } of memories) {
    assert.doesNotMatch(text, /Scout/)
    assert.ok(sources.every((source: string) => !utterances.some(({ id }: { id: string }) => id === source)))
  }
  const refused = await run('correct', 'u0', '--text', 'Something else.')
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /u0 is an utterance, which stays as its speaker said it: correct a fact derived from it/)
})
