import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetTexts } from '@loomlog/text-caches'
import { countStringsWith, freshCanary } from '../../../test/heap-strings.ts'
import { testSealing } from '../sealing-fixture.ts'
import type { LogKeys } from './log-keys.ts'
import { SealedState } from './state.ts'

test('a forgetting leaves no part of a key in memory, and keys have the same names afterwards', async () => {
  const sealing = testSealing()
  await sealing.ready([null])
  const canary = freshCanary()
  const state = new SealedState(sealing as unknown as LogKeys)
  const stored = () => state.changes([{ key: `lane/${canary}/box`, value: Uint8Array.of(1) }]).map(({ key }) => key)
  const before = stored()
  assert.ok(((await countStringsWith([canary]))[0] ?? 0) > 0)
  forgetTexts()
  assert.deepEqual(await countStringsWith([canary]), [0])
  assert.deepEqual(stored(), before)
})
