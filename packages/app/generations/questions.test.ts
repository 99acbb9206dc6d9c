import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readQuestions } from './questions.ts'

test('a line that is no question is refused with its place', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-questions-'))
  t.after(() => rm(dir, { recursive: true }))
  const file = join(dir, 'questions')
  const good = { space: 's', question: 'Where?', evidence: ['u1'] }
  for (const line of ['null', '7', '[]', '"x"', '{', JSON.stringify({ ...good, evidence: [] })]) {
    await writeFile(file, `${JSON.stringify(good)}\n\n${line}\n`)
    assert.throws(() => readQuestions(file), { code: 'input-invalid', message: /questions:3.* expected \{"space"/ })
  }
  await writeFile(file, JSON.stringify(good))
  assert.deepEqual(readQuestions(file), [{ ...good, space: 'default/s' }])
})
