import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { problemOf } from './problem.ts'

test("the reply to a caller doesn't name the access that the cluster denies", () => {
  const denied =
    "appending: the cluster's ACLs don't allow WRITE on topic loomlog.utterances to the principal User:gateway"
  const problem = problemOf(new LoomlogError('log-unauthorized', denied))
  assert.equal(problem.status, 503)
  assert.equal(problem.type, 'urn:loomlog:problem:log-unauthorized')
  assert.equal(problem.detail, 'the server may not use its log; its operator sees why in its log')
})
