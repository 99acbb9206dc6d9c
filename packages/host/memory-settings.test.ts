import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingMemorySettings } from './memory-settings.ts'

const large = { memoryBytes: 16 * 1_073_741_824, glibc: '2.36' }
const image = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }
const semiSpace = '--max-semi-space-size=16'

test('a process without memory settings gets those of the image, and then none is missing', () => {
  const all = { ...image, NODE_OPTIONS: semiSpace }
  assert.deepEqual(missingMemorySettings({}, large), all)
  assert.deepEqual(missingMemorySettings(all, large), {})
})

test("the user's settings are kept: a value, an option of Node, and an empty NODE_OPTIONS", () => {
  assert.deepEqual(missingMemorySettings({ ...image, MALLOC_ARENA_MAX: '8', NODE_OPTIONS: '' }, large), {})
  const kept = { ...image, NODE_OPTIONS: '--inspect' }
  assert.deepEqual(missingMemorySettings(kept, large), { NODE_OPTIONS: `--inspect ${semiSpace}` })
  const own = { ...image, NODE_OPTIONS: '--max_semi_space_size=64' }
  assert.deepEqual(missingMemorySettings(own, large), {})
})

test("on a machine with little memory V8's own limit stays", () => {
  assert.deepEqual(missingMemorySettings(image, { ...large, memoryBytes: 2 * 1_073_741_824 }), {})
})

test('without glibc its malloc settings are not missing, so a process with a limit of V8 is not executed again', () => {
  assert.deepEqual(missingMemorySettings({}, { ...large, glibc: null }), { NODE_OPTIONS: semiSpace })
  assert.deepEqual(missingMemorySettings({ NODE_OPTIONS: semiSpace }, { ...large, glibc: null }), {})
})
