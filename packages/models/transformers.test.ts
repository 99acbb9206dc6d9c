import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { transformersEmbedder } from './transformers.ts'

const skip = await import('@huggingface/transformers' as string).then(
  () => 'the package is installed here',
  () => false as const,
)

test('without the package, the error says what to install', { skip }, async () => {
  const vectorSpace = { name: 'MiniLM-384', dimensions: 384 }
  const opening = transformersEmbedder({ model: 'Xenova/all-MiniLM-L6-v2', precision: 'q8', vectorSpace })
  await assert.rejects(opening, (error) => {
    assert.ok(isLoomlogError(error, 'config-invalid'))
    assert.match(error.message, /npm install @huggingface\/transformers/)
    return true
  })
})
