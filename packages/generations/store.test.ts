import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { topicSpec } from '@loomlog/topics/catalogue'
import { type GenerationPlan, type PlannedStage, planGeneration } from './plan.ts'
import { liveGeneration } from './pointers.ts'
import { adoptGeneration, changeGenerations, defineGeneration, readGenerations } from './store.ts'

async function opened(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-generations-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'generations', partitions: 1, retentionMs: null })
  return { log, codec: await Codec.open(log.schemas) }
}

function plan(fields: { revision?: number; viewEmbedder?: string } = {}): GenerationPlan {
  const processor: PlannedStage['processor'] = {
    stage: 'loom',
    reads: topicSpec('utterances'),
    writes: topicSpec('topic-shifts'),
    handles: [],
    tasks: [],
    parameters: {},
    revision: fields.revision ?? 1,
    prompts: new URL('file:///'),
    embeds: 'nothing',
    retry: 'never',
    lane: () => '',
    step() {
      throw new Error('nobody takes a step here')
    },
  }
  const choices = () => ({ model: null, prompts: new Map(), embedder: 'toy' })
  return planGeneration([processor], choices, fields.viewEmbedder ?? 'toy')
}

const live = async ({ log, codec }: Awaited<ReturnType<typeof opened>>) =>
  liveGeneration(await readGenerations(log, codec), null)?.generation ?? null

test('a log without a generation takes the plan, once, with the whole recipe', async (t) => {
  const at = await opened(t)
  const { log, codec } = at
  assert.equal(await live(at), null)
  await adoptGeneration(log, codec, plan())
  const [end] = await log.endOffsets('generations')
  await adoptGeneration(log, codec, plan())
  assert.deepEqual(await log.endOffsets('generations'), [end])
  assert.equal(await live(at), plan().id)
  const [stage] = plan().stages
  const derivation = (await readGenerations(log, codec)).derivations.get(stage?.derivation ?? '')
  assert.deepEqual([derivation?.recipe, derivation?.prompts], [stage?.recipe, new Map()])
})

test('two processes that adopt the same plan at once agree', async (t) => {
  const { log, codec } = await opened(t)
  await Promise.all([adoptGeneration(log, codec, plan()), adoptGeneration(log, codec, plan())])
  const known = await readGenerations(log, codec)
  assert.deepEqual([known.generations.size, known.derivations.size, known.epoch], [1, 1, 1])
})

test('of two processes that adopt different plans at once one wins, and the other gets the winner’s plan', async (t) => {
  const at = await opened(t)
  const { log, codec } = at
  const plans = [plan(), plan({ revision: 2 })]
  const seen = await Promise.all(plans.map((each) => adoptGeneration(log, codec, each)))
  const winner = await live(at)
  assert.ok(plans.some(({ id }) => id === winner))
  for (const known of seen) assert.equal(liveGeneration(known, null)?.generation, winner)
})

const running = { type: 'GenerationStatusChanged', status: 'running', previous: 'defined', share: null, at: 0 } as const

test('of two starts of one recipe one is refused as already started', async (t) => {
  const { log, codec } = await opened(t)
  const { id } = plan()
  await defineGeneration(log, codec, plan(), { name: 'other prompts', chosen: { 'loom.prompt': 'x' } })
  const start = () => changeGenerations(log, codec, { ...running, generation: id })
  const both = await Promise.allSettled([start(), start()])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const isRefused = (error: unknown) =>
    isLoomlogError(error, 'generation-refused') && /already started/.test(error.message)
  assert.ok(isRefused(both.find((each) => each.status === 'rejected')?.reason))
  await assert.rejects(start(), isRefused)
  const generation = (await readGenerations(log, codec)).generations.get(id)
  assert.deepEqual([generation?.status, generation?.name], ['running', 'other prompts'])
})

test('a refused change leaves the log as it was', async (t) => {
  const { log, codec } = await opened(t)
  const ends = await log.endOffsets('generations')
  await assert.rejects(
    changeGenerations(log, codec, { ...running, generation: 'nobody' }),
    /there is no generation nobody/,
  )
  assert.deepEqual(await log.endOffsets('generations'), ends)
})
