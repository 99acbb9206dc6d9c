import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Generations } from '@loomlog/generations/generations'
import { planGeneration } from '@loomlog/generations/plan'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { configFrom } from '@loomlog/host/config'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { openHost } from '@loomlog/host/open'
import { configuredChoices } from '@loomlog/host/stage'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { processorsOf } from '../processors.ts'
import { prepareGenerations } from './configured-generation.ts'
import { hasCaughtUp, refuseUnlessCaughtUp, startGeneration } from './lifecycle.ts'

test('a generation as far behind as the live one may be promoted, if it has everything from before its start', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 5) })
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-lifecycle-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  t.after(async () => {
    await host.close()
    await rm(dir, { recursive: true })
  })
  const processors = processorsOf(host)
  /** Shares all stages but the last one with the live generation. */
  const startSuccessor = async (by: number) => {
    const raised = processors.map((each) =>
      each.stage === 'consolidator' ? { ...each, revision: each.revision + by } : each,
    )
    const choices = (processor: (typeof processors)[number]) => configuredChoices(host, processor)
    const plan = planGeneration(raised, choices, host.embedder.space.name)
    const naming = { name: null, chosen: {} }
    return { id: plan.id, known: await startGeneration(host, { plan, naming, share: null, ifStarted: 'refuse' }) }
  }
  const promotable = (known: Generations, id: string) => {
    const generation = known.generations.get(id)
    assert.ok(generation)
    const generationReader = new GenerationReader(host, { current: known })
    t.after(() => generationReader.close())
    return { host, known, serving: servingGeneration(generation, host.topics), generationReader }
  }

  await prepareGenerations(host, processors)
  const early = await startSuccessor(1)
  t.mock.timers.tick(10_000)
  const text = JSON.stringify({
    conversation: 'c',
    speaker: 'Ada',
    at: '2026-01-05T00:00:10Z',
    text: 'I moved to Porto.',
  })
  const place = { tenant: 'default', space: 'home' }
  const source = { file: 'home', text, place, appendedAt: Date.now() }
  await appendOnce(readFormat('jsonl', source), { log: host.log, codec: host.codec, dir })
  t.mock.timers.tick(60_000)
  const late = await startSuccessor(2)

  const beside = promotable(late.known, early.id)
  assert.equal(await hasCaughtUp(beside), true)
  await refuseUnlessCaughtUp(beside, null)
  assert.equal(await hasCaughtUp(promotable(late.known, late.id)), false, 'it lacks what was said before its start')
  const alone = promotable({ ...late.known, everyone: null }, early.id)
  assert.equal(await hasCaughtUp(alone), false)
  await assert.rejects(refuseUnlessCaughtUp(alone, null), (error) => isLoomlogError(error, 'not-caught-up'))
})
