import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ApiDocument } from '../reference/api-document.ts'

const document: ApiDocument = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))

/**
 * Requests with a body, or with a dry run, that change nothing; `mcp`, whose tools are requests of their own; and
 * `forget`, whose effect is a step of its status.
 */
const reads = [
  ...['compareGenerations 200', 'context 200', 'forget 200', 'forget 202', 'mcp 200', 'mcp 202'],
  ...['planGeneration 200'],
  ...['recall 200', 'retract 200', 'tool 200'],
]

test('the reply to every write has its position', () => {
  const without: string[] = []
  for (const methods of Object.values(document.paths)) {
    for (const [method, { operationId, responses }] of Object.entries(methods)) {
      if (method === 'get' || method === 'head') continue
      for (const [status, { content }] of Object.entries(responses)) {
        const schema = content?.['application/json']?.schema
        if (status.startsWith('2') && !schema?.required?.includes('position')) without.push(`${operationId} ${status}`)
      }
    }
  }
  assert.deepEqual(without.sort(), reads)
})
