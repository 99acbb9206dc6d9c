import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { version } from './version.ts'

test('the version is that of the published package', () => {
  const published = new URL('../loomlog/package.json', import.meta.url)
  assert.equal(version, JSON.parse(readFileSync(published, 'utf8')).version)
})
