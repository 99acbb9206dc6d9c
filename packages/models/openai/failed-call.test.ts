import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIConnectionError } from 'openai'
import { isIdleClose, isUnbilled } from './failed-call.ts'

function failed(code: string): APIConnectionError {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  return new APIConnectionError({ cause })
}

test('a socket that closes within a second was idle; one that closes later may have done the work', () => {
  for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']) {
    assert.deepEqual([isIdleClose(failed(code), 1_000), isUnbilled(failed(code), 1_000)], [true, true])
    assert.deepEqual([isIdleClose(failed(code), 1_001), isUnbilled(failed(code), 1_001)], [false, false])
  }
})

test('a request that never reached the endpoint is free however long that took, and is not sent again', () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED']) {
    assert.deepEqual([isIdleClose(failed(code), 10), isUnbilled(failed(code), 60_000)], [false, true])
  }
})
