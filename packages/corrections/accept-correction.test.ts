import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Intake } from '@loomlog/intake/append'
import type { MemoryCorrected } from '@loomlog/schemas/events'
import { memoryStore } from '@loomlog/views/in-memory'
import { ViewReader } from '@loomlog/views/reader'
import { acceptCorrection } from './accept-correction.ts'

const place = { tenant: 't', space: 's', principal: null }
const vectorSpace = { name: 'toy-2', dimensions: 2 }
const views = new ViewReader({ store: memoryStore(), vectorSpace, partitions: 1, sources: new Map() })

async function acceptedEvents(body: unknown): Promise<readonly MemoryCorrected[]> {
  const appended: MemoryCorrected[] = []
  const append = async (events: readonly MemoryCorrected[]) => {
    appended.push(...events)
    return { appended: events.length, known: 0 }
  }
  const { ids } = await acceptCorrection(body, place, views, { append } as unknown as Intake)
  assert.deepEqual(
    ids,
    appended.map(({ id }) => id),
  )
  return appended
}

test('rules split an addition into facts, and a repeated addition has the same id', async () => {
  const body = { action: 'add', text: 'Maya lives in Porto.', by: 'Maya', reason: 'I moved' }
  const [added, ...more] = await acceptedEvents(body)
  assert.deepEqual(
    [added?.subject, added?.object, added?.by, added?.role, more.length],
    ['Maya', 'Porto', 'Maya', 'human', 0],
  )
  assert.equal((await acceptedEvents(body))[0]?.id, added?.id)
})

test('a wrong field is named with its value and the expected one', async () => {
  const good = { action: 'replace', memory: 'f1', text: 'Maya sails.', by: 'Maya' }
  for (const [body, says] of [
    ['text', /the body is "text"/],
    [{ ...good, action: 'forget' }, /action is "forget": expected replace or pin or retract or add/],
    [{ ...good, role: 'tool' }, /role is "tool"/],
    [{ ...good, by: undefined }, /by is missing: expected words/],
    [{ ...good, by: 'Ada\u001b[2J' }, /^by is "Ada\\u001b\[2J": expected 1 to 256 characters/],
    [{ ...good, by: 'Ada\n1 Boss' }, /^by is "Ada\\n1 Boss"/],
    [{ ...good, by: 'A'.repeat(100_000) }, /^by is "A{79}…: expected 1 to 256 characters/],
    [{ ...good, action: 'add', conversation: 'c\u200b' }, /^conversation is "c\\u200b"/],
    [{ ...good, text: ' ' }, /text is " "/],
    [{ ...good, memory: 7 }, /memory is 7/],
    [{ ...good, id: 'x' }, /there is no field id/],
  ] as const) {
    await assert.rejects(
      acceptedEvents(body),
      (error) => isLoomlogError(error, 'input-invalid') && says.test(error.message),
    )
  }
  await assert.rejects(acceptedEvents(good), (error) => isLoomlogError(error, 'not-found'))
})
