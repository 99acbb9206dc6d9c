import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { Conditions, noteTemporaryFailure } from './conditions.ts'

function noted(error: unknown) {
  const lines: string[] = []
  const log = { info: () => {}, warn: (line: string) => lines.push(line), debug: () => {} }
  const conditions = new Conditions(log)
  const isNoted = noteTemporaryFailure(error, conditions, (line) => lines.push(line))
  return { isNoted, lines, conditions: [...conditions.current.keys()] }
}

test('a lease that is lost with the log is part of the outage; a lease with a new owner is a log line of its own', () => {
  const away = new LoomlogError('log-unavailable', 'connection refused')
  const lost = noted(new LoomlogError('fenced', 'the outcome is unknown', { cause: away }))
  assert.deepEqual(lost, { isNoted: true, lines: ['the log is away: connection refused'], conditions: ['log'] })
  const replaced = noted(new LoomlogError('fenced', 'has another owner', { cause: new Error('old epoch') }))
  assert.deepEqual(replaced, { isNoted: true, lines: ['has another owner'], conditions: [] })
})

test('unusable views and indexes are no outage of the log', () => {
  const views = noted(new LoomlogError('view-unavailable', 'table facts could not be written'))
  const text = "the views can't be used: table facts could not be written"
  assert.deepEqual(views, { isNoted: true, lines: [text], conditions: ['failing views'] })
  const index = noted(new LoomlogError('index-unavailable', 'vectors.db is damaged'))
  assert.deepEqual(index.conditions, ['failing index-unavailable'])
})

test('a failure that no retry can repair is no condition', () => {
  assert.equal(noted(new LoomlogError('log-corrupt', 'damaged')).isNoted, false)
  assert.equal(noted(new Error('a bug')).isNoted, false)
})
