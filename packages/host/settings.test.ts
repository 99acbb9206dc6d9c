/** All settings are documented in docs/settings.md, and checked before anything is opened. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFrom } from './config.ts'

const root = join(import.meta.dirname, '../..')
const forTests = /^LOOMLOG_(CRASH_AT|STOP_AT|SEED|TEST_.*)$/

test('every variable that any process reads is documented', () => {
  const files = globSync('{packages,services}/**/*.ts', { cwd: root }).filter(
    (file) => !/node_modules|\.test\.ts$/.test(file),
  )
  const read = files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/\bLOOMLOG_[A-Z_]+[A-Z]\b/g) ?? [])
  const documented = readFileSync(join(root, 'docs/settings.md'), 'utf8')
  // Code completes these prefixes to names.
  const prefixes = ['LOOMLOG_KAFKA', 'LOOMLOG_REGISTRY']
  const names = new Set(read.filter((name) => !forTests.test(name) && !prefixes.includes(name)))
  assert.ok(names.size > 20)
  assert.deepEqual(
    [...names].filter((name) => !documented.includes(`\`${name}\``)),
    [],
  )
})

test('a malformed number, or one out of range, is refused with the variable and the expected range', () => {
  const numbers = [
    'LOOMLOG_PARTITIONS',
    'LOOMLOG_SESSION_MS',
    'LOOMLOG_PAUSE_MS',
    'LOOMLOG_SPACE_PAUSE_MS',
    'LOOMLOG_HTTP_PORT',
    'LOOMLOG_MODEL_TIMEOUT_MS',
  ]
  for (const name of numbers) {
    for (const value of ['', 'many', '-1', '1.5', '1e99']) {
      const message = new RegExp(`^${name} is ${JSON.stringify(value)}: expected a whole number from`)
      assert.throws(() => configFrom({ [name]: value }), { code: 'config-invalid', message })
    }
  }
})
