import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { addInParts } from './add-in-parts.ts'
import type { Message } from './api.ts'

const message = (text: string) => ({ conversation: 'c', speaker: 'Maya', text })

/** The parts that were appended, and the total. */
async function added(texts: readonly string[]) {
  const parts: (readonly Message[])[] = []
  const total = await addInParts(texts.map(message), {}, async (part) => {
    parts.push(part)
    return { ids: part.map(({ id }) => id ?? ''), appended: part.length - 1, known: 1, position: `0@${parts.length}` }
  })
  return { parts, total }
}

test('at most 500 messages are in a part, in their order, and the total is that of all parts', async () => {
  const texts = Array.from({ length: 1_001 }, (_, n) => `${n}`)
  const { parts, total } = await added(texts)
  assert.deepEqual(
    parts.map((part) => part.length),
    [500, 500, 1],
  )
  assert.deepEqual(
    parts.flat().map((message) => 'text' in message && message.text),
    texts,
  )
  const ids = parts.flat().map(({ id }) => id)
  assert.deepEqual(total, { ids, appended: 998, known: 3, position: '0@3' })
})

test('a part of several messages stays below the megabyte that a server takes', async () => {
  const { parts } = await added(['€'.repeat(200_000), '€'.repeat(90_000), '€'.repeat(90_000), '€'.repeat(400_000), 'x'])
  assert.deepEqual(
    parts.map((part) => part.length),
    [2, 1, 1, 1],
  )
  for (const part of parts.filter((part) => part.length > 1))
    assert.ok(Buffer.byteLength(JSON.stringify(part)) < 1_000_000)
})

test('no message is one part, which the log refuses', async () => {
  assert.deepEqual((await added([])).parts, [[]])
})

test('faults name the message by its place in the call', async () => {
  const detail = 'text is empty'
  const failing = (at: number) => async (part: readonly Message[]) => {
    if (part.length === at) return { ids: part.map(() => ''), appended: at, known: 0, position: '' }
    throw new LoomlogError('input-invalid', detail, { errors: [{ pointer: '/1/text', detail }] })
  }
  const messages = Array.from({ length: 502 }, () => message('x'))
  for (const [at, pointer] of [
    [500, '/501/text'],
    [0, '/1/text'],
  ] as const)
    await assert.rejects(addInParts(messages, {}, failing(at)), (error) => {
      assert.ok(isLoomlogError(error, 'input-invalid'))
      assert.deepEqual(error.errors, [{ pointer, detail }])
      return true
    })
})
