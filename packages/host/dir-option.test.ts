import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFrom } from './config.ts'
import { dirOption } from './dir-option.ts'

test('a pasted command names the folder unless it is the default one, as one word of a shell', () => {
  const kafka = { LOOMLOG_LOG: 'kafka', LOOMLOG_KAFKA_BROKERS: 'b:9092', LOOMLOG_REGISTRY_URL: 'http://r:8081' }
  for (const [environment, expected] of [
    [{}, ''],
    [{ LOOMLOG_DIR: 'memory' }, ' --dir memory'],
    [{ LOOMLOG_DIR: "Maya's log" }, String.raw` --dir 'Maya'\''s log'`],
    [{ LOOMLOG_DIR: '' }, " --dir ''"],
    [kafka, ''],
    [{ ...kafka, LOOMLOG_DIR: '/var/loomlog' }, ' --dir /var/loomlog'],
  ] as const)
    assert.equal(dirOption(configFrom(environment)), expected)
})
