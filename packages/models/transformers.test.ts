import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { transformersEmbedder } from './transformers.ts'

const skip = await import('@huggingface/transformers' as string).then(
  () => 'the package is installed here',
  () => false as const,
)

test('without the package, the error says what to install', { skip }, async () => {
  await assert.rejects(transformersEmbedder({ model: 'Xenova/all-MiniLM-L6-v2', dimensions: 384 }), (error) => {
    assert.ok(isLoomlogError(error, 'config-invalid'))
    assert.match(error.message, /npm install @huggingface\/transformers/)
    return true
  })
})
