/**
 * Texts of one class of characters, as long as an append allows. Each would take minutes in an expression or a loop of
 * quadratic time. An operation that takes longer than usual is compared with the same one on a quarter of the text.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxTextBytes } from '@loomlog/intake/utterance'
import { isQuadratic, lengthFactor, threadMs } from './growth.ts'
import { type ServedMemory, servedMemory } from './served-memory.ts'
import { singleClassTexts, sought } from './single-class-texts.ts'

/** Operations that take less are measured no further. */
const quickMs = 300
const timeoutMs = 500_000
/**
 * The classes that rules of time, names, sentences and quotes meet most often. `expressions.test.ts` has all of them.
 */
const classes: readonly string[] = [
  ...['spaces', 'newlines', 'no-break spaces', 'double quotes', 'apostrophes', 'digits', 'dots', 'letter'],
  ...['joined emoji', 'combining marks', 'ideograph', 'letter and space', 'comma and space', 'sentences'],
  ...['digit and dot', 'letter and comma', 'quoted letter', 'call', 'words of one sentence', 'names'],
  ...['times', 'dates', 'verbs'],
]

type Times = ReadonlyMap<string, number>

test('a text of one class of characters takes linear time in append, derivation, recall, context and tools', {
  timeout: timeoutMs,
}, async (t) => {
  const memory = await servedMemory(t)
  const [short, long] = [singleClassTexts(maxTextBytes / lengthFactor), singleClassTexts(maxTextBytes)]
  const slow: string[] = []
  for (const [at, name] of classes.entries()) {
    const texts = { short: short[name] ?? '', long: long[name] ?? '' }
    assert.notEqual(texts.long, '', `there is no class ${name}`)
    const first = await timesOf(memory, `s${at}`, texts.long)
    const longer = [...first].filter(([, ms]) => ms > quickMs).map(([operation]) => operation)
    if (longer.length === 0) continue
    const compared = await timesOf(memory, `s${at}-short`, texts.short)
    const again = await timesOf(memory, `s${at}-again`, texts.long)
    for (const operation of longer) {
      const ms = Math.min(...[first, again].map((times) => times.get(operation) ?? 0))
      const shortMs = compared.get(operation) ?? 0
      t.diagnostic(`${operation} ${name}: ${Math.round(shortMs)} ms, then ${Math.round(ms)} ms`)
      if (isQuadratic(shortMs, ms))
        slow.push(`${operation} ${name}: ${Math.round(shortMs)} ms, then ${Math.round(ms)} ms`)
    }
  }
  assert.deepEqual(slow, [])
})

/** CPU time of this thread for each operation on a new space that has this text. */
async function timesOf(memory: ServedMemory, space: string, text: string): Promise<Times> {
  const times = new Map<string, number>()
  async function timed(operation: string, status: number, work: () => Promise<{ status: number; text: string }>) {
    const before = process.threadCpuUsage()
    const reply = await work()
    times.set(operation, threadMs(before))
    assert.equal(reply.status, status, `${operation} of ${text.slice(0, 20)}: ${reply.text.slice(0, 300)}`)
  }
  const path = `/v1/spaces/${space}`
  const line = { id: 'u', conversation: 'c', speaker: 'Ann', at: '2026-03-02T09:00:00Z', text }
  const query = `${sought} ${text.slice(0, 1_900)}`
  const ask = (operation: string, route: string, given: object) =>
    timed(operation, 200, () => memory.post(`${path}/${route}`, given))
  await timed('append', 201, () => memory.post(`${path}/utterances`, line))
  await ask('recall tail', 'recall', { query, budget: 2_000 })
  await timed('derive', 200, () => memory.derive(space, line))
  await ask('recall budget', 'recall', { query, budget: 2_000 })
  await ask('recall explain', 'recall', { query, budget: 100_000, explain: 'yes' })
  await ask('context', 'context', { query })
  await ask('context unasked', 'context', {})
  await ask('exact_pattern', 'tools/exact_pattern', { pattern: text.slice(0, 100).trim() || 'x' })
  await ask('read_lines', 'tools/read_lines', { conversation: 'c' })
  return times
}
