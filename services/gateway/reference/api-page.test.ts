import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ApiDocument } from './api-document.ts'

const docs = new URL('../../../docs/', import.meta.url)

test('the reference shows the fields of every success of every route', () => {
  const document: ApiDocument = JSON.parse(readFileSync(new URL('openapi.json', docs), 'utf8'))
  const sections = readFileSync(new URL('api.md', docs), 'utf8').split('\n### ')
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? ''
      for (const [status, { content }] of Object.entries(responses)) {
        const { schema } = content?.['application/json'] ?? {}
        if (!status.startsWith('2') || (schema?.properties ?? schema?.items?.properties) === undefined) continue
        assert.ok(section.includes(`| ${status}, \`application/json\``), `${name} lacks the reply ${status}`)
      }
    }
  }
})
