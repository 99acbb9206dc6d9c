import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Generations } from '@loomlog/generations/generations'
import { planGeneration } from '@loomlog/generations/plan'
import { liveGeneration } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { openHost } from '@loomlog/host/open'
import { configuredChoices } from '@loomlog/host/stage'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { processorsOf } from '../processors.ts'
import { prepareGenerations } from './configured-generation.ts'
import { promoteGeneration, startGeneration } from './lifecycle.ts'
import { hasCaughtUp, refuseUnlessCaughtUp } from './promotion-checks.ts'

const promotion = { tenant: null, cause: 'promoted' } as const

async function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 5) })
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-promotion-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  t.after(async () => {
    await host.close()
    await rm(dir, { recursive: true })
  })
  const processors = processorsOf(host)
  await prepareGenerations(host, processors)
  return {
    host,
    /** Shares all stages but the last one with the live generation. */
    async startSuccessor(by: number) {
      const raised = processors.map((each) =>
        each.stage === 'consolidator' ? { ...each, revision: each.revision + by } : each,
      )
      const choices = (processor: (typeof processors)[number]) => configuredChoices(host, processor)
      const plan = planGeneration(raised, choices, host.embedder.vectorSpace.name)
      const naming = { name: null, chosen: {} }
      return { id: plan.id, known: await startGeneration(host, { plan, naming, share: null, ifStarted: 'refuse' }) }
    },
    candidate(known: Generations, id: string) {
      const generation = known.generations.get(id)
      assert.ok(generation)
      const generationReader = new GenerationReader(host, { current: known })
      t.after(() => generationReader.close())
      return { host, known, serving: servingGeneration(generation, host.topics), generationReader }
    },
    async append() {
      const at = new Date().toISOString()
      const text = JSON.stringify({ conversation: 'c', speaker: 'Ada', at, text: 'I moved to Porto.' })
      const place = { tenant: 'default', space: 'home' }
      const source = { file: 'home', text, place, appendedAt: Date.now() }
      await appendOnce(readFormat('jsonl', source), { log: host.log, codec: host.codec, dir })
    },
  }
}

test('a generation as far behind as the live one may be promoted, if it has everything from before its start', async (t) => {
  const { startSuccessor, candidate, append } = await setUp(t)
  const early = await startSuccessor(1)
  t.mock.timers.tick(10_000)
  await append()
  t.mock.timers.tick(60_000)
  const late = await startSuccessor(2)

  const beside = candidate(late.known, early.id)
  assert.equal(await hasCaughtUp(beside), true)
  await refuseUnlessCaughtUp(beside, promotion)
  assert.equal(await hasCaughtUp(candidate(late.known, late.id)), false, 'it lacks what was said before its start')
  const alone = candidate({ ...late.known, everyone: null }, early.id)
  assert.equal(await hasCaughtUp(alone), false)
  await assert.rejects(refuseUnlessCaughtUp(alone, promotion), {
    code: 'not-caught-up',
    message: /--anyway makes it live as it is/,
  })
})

test('a rollback is refused for lack of records from before the replacement, and not for those that came since', async (t) => {
  const { host, startSuccessor, candidate, append } = await setUp(t)
  const first = liveGeneration(await readGenerations(host.log, host.codec), null)?.generation ?? ''
  const { id } = await startSuccessor(1)
  t.mock.timers.tick(60_000)
  const known = await promoteGeneration(host, { generation: id, tenant: null, cause: 'promoted' })
  t.mock.timers.tick(1_000)
  await append()
  t.mock.timers.tick(47_000)
  /** The live generation has what the other one lacks: nothing allows for a lag. */
  const withoutLive = { ...known, everyone: null }
  const rollback = { tenant: null, cause: 'rolledBack' } as const
  await refuseUnlessCaughtUp(candidate(withoutLive, first), rollback)
  const refusal = { code: 'not-caught-up', message: /is 47.0 s behind.*--anyway makes it live as it is/ }
  await assert.rejects(refuseUnlessCaughtUp(candidate(withoutLive, first), promotion), refusal)

  const later = await promoteGeneration(host, { generation: first, tenant: null, cause: 'rolledBack' })
  await assert.rejects(refuseUnlessCaughtUp(candidate({ ...later, everyone: null }, id), rollback), refusal)
})
