import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { readUsage } from './usage.ts'

const dayMs = 86_400_000

test('more sums of days than a reply has are cut from the oldest, and the usage says so', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-usage-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  t.after(async () => {
    await host.close()
    await rm(dir, { recursive: true })
  })
  const today = new Date().setUTCHours(0, 0, 0, 0)
  const record = async (day: number, prompts: number) => {
    const records = Array.from({ length: prompts }, (_, n) => ({
      key: 't/s',
      value: host.codec.encode(answerOf(`${day} ${n}`, `p${n}`)),
      timestamp: today - day * dayMs,
    }))
    await host.log.append('completions', records)
  }
  const prompts = 100
  for (let day = 29; day >= 0; day -= 1) await record(day, prompts)
  const whole = await readUsage(host, 't')
  assert.deepEqual([whole.days.length, whole.accounts.length, whole.isComplete], [30 * prompts, prompts, true])

  await record(0, prompts + 1)
  const cut = await readUsage(host, 't')
  const oldest = new Date(today - 29 * dayMs).toISOString().slice(0, 10)
  assert.deepEqual([cut.days.length, cut.accounts.length, cut.isComplete], [30 * prompts, prompts + 1, false])
  assert.equal(cut.days.filter(({ day }) => day === oldest).length, prompts - 1)
  assert.equal(cut.total.asks, 30 * prompts + 1, 'the total has them')
})

function answerOf(key: string, prompt: string): AnswerRecorded {
  const place = { tenant: 't', space: 's', task: 'judge', model: 'toy', stage: 'topic-loom', prompt }
  const counts = { attempts: 1, calls: 1, inputTokens: 100, outputTokens: 7 }
  const answer = { answer: 'yes', vector: null, none: null, since: 0, keyId: null }
  return { type: 'AnswerRecorded', key, ...place, ...answer, ...counts }
}
