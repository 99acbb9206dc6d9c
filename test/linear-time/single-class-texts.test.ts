/**
 * Texts of one class of characters, as long as an append allows. Each would take minutes in an expression or a loop of quadratic time; in
 * linear time it takes milliseconds. Time is that of this thread, which other processes don't lengthen.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxTextBytes } from '@loomlog/intake/utterance'
import { servedMemory } from './served-memory.ts'
import { singleClassTexts, sought } from './single-class-texts.ts'

const mostMs = 500
/** Each of 6,000 dates in a text is read with its clause. */
const mostWithTimesMs = 1_000

test('a text of one class of characters takes little time in append, derivation, recall, context and tools', async (t) => {
  const memory = await servedMemory(t)
  const slow: string[] = []
  async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
    const before = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms > (/ (?:dates|times)$/.test(what) ? mostWithTimesMs : mostMs)) slow.push(`${what}: ${Math.round(ms)} ms`)
  }
  for (const [at, [name, text]] of Object.entries(singleClassTexts(maxTextBytes)).entries()) {
    const space = `s${at}`
    const line = { id: 'u', conversation: 'c', speaker: 'Ann', at: '2026-03-02T09:00:00Z', text }
    const path = `/v1/spaces/${space}`
    const answered = async (reply: Promise<{ status: number; text: string }>) => {
      const { status, text } = await reply
      assert.equal(status, 200, `${name}: ${text.slice(0, 300)}`)
    }
    await timed(`append ${name}`, async () =>
      assert.equal((await memory.post(`${path}/utterances`, line)).status, 201, name),
    )
    const query = `${sought} ${text.slice(0, 1_900)}`
    const ask = (route: string, given: object) => answered(memory.post(`${path}/${route}`, given))
    await timed(`recall tail ${name}`, () => ask('recall', { query, budget: 2_000 }))
    await timed(`derive ${name}`, () => answered(memory.derive(space, line)))
    await timed(`recall ${name}`, () => ask('recall', { query }))
    await timed(`recall short ${name}`, () => ask('recall', { query: sought, budget: 100_000 }))
    await timed(`recall budget ${name}`, () => ask('recall', { query, budget: 2_000 }))
    await timed(`recall explain ${name}`, () => ask('recall', { query, budget: 100_000, explain: 'yes' }))
    await timed(`context ${name}`, () => ask('context', { query }))
    await timed(`context unasked ${name}`, () => ask('context', {}))
    for (const [tool, input] of Object.entries({
      lexical_search: { query },
      exact_pattern: { pattern: text.slice(0, 100).trim() || 'x' },
      read_lines: { conversation: 'c' },
    }))
      await timed(`${tool} ${name}`, () => answered(memory.post(`${path}/tools/${tool}`, input)))
  }
  assert.deepEqual(slow, [])
})
