import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Generations, noGenerations } from '@loomlog/generations/generations'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { CompletionIndex } from '@loomlog/runtime/completion-index'
import { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { answerTexts } from './used-answers.ts'

const answer: AnswerRecorded = {
  ...({ type: 'AnswerRecorded', key: 'k1', tenant: 'acme', space: 'home', task: 'extract-facts' } as const),
  model: 'small',
  answer: '{"facts":[]}',
  vector: null,
  none: null,
  attempts: 1,
  calls: 1,
  inputTokens: 10,
  outputTokens: 2,
  stage: 'fact-extractor',
  prompt: 'h1',
  since: 0,
  keyId: null,
}
const recipe = { model: { name: 'small', prompts: { 'extract-facts': 'h1' } } }
const prompts = new Map([['extract-facts', 'Find the facts.']])
const derivation = { id: 'd1', stage: 'fact-extractor', recipe, prompts }
const known = { ...noGenerations, derivations: new Map([['d1', derivation]]) } as unknown as Generations

test('an answer is read with the text of its prompt, and from its own space alone', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-answers-'))
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'completions', partitions: 2, retentionMs: null })
  const completions = new CompletionIndex({ log, codec: await Codec.open(log.schemas), dir: null })
  t.after(async () => {
    await completions.close()
    await log.close()
    await rm(dir, { recursive: true })
  })
  await completions.record('acme/home', answer)
  const read = answerTexts(
    { completions, partitions: 2, pendingForgettings: { requireNone: async () => {} } },
    () => known,
  )
  const { prompt, answer: words, stage } = await read('k1', { tenant: 'acme', space: 'home' })
  assert.deepEqual([prompt, words, stage], ['Find the facts.', '{"facts":[]}', 'fact-extractor'])
  await assert.rejects(read('k1', { tenant: 'other', space: 'home' }), { code: 'not-found' })
  await assert.rejects(read('k1', { tenant: 'acme', space: 'office' }), { code: 'not-found' })
  await assert.rejects(read('k2', { tenant: 'acme', space: 'home' }), { code: 'not-found' })
})
