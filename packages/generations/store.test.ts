import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { type GenerationPlan, type PlannedStage, planGeneration } from './plan.ts'
import { adoptGeneration, readGenerations } from './store.ts'

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
    ...{ stage: 'loom', reads: 'utterances', writes: 'topic-shifts', handles: [], tasks: [], parameters: {} },
    ...{ revision: fields.revision ?? 1, prompts: new URL('file:///'), embeds: 'nothing', retry: 'never' },
    lane: () => '',
    step() {
      throw new Error('nobody takes a step here')
    },
  }
  const choices = () => ({ model: null, prompts: new Map(), embedder: 'toy' })
  return planGeneration([processor], choices, fields.viewEmbedder ?? 'toy')
}

test('a log without a generation takes the plan, once, with the whole recipe', async (t) => {
  const { log, codec } = await opened(t)
  assert.equal((await readGenerations(log, codec)).live, null)
  await adoptGeneration(log, codec, plan())
  const [end] = await log.endOffsets('generations')
  await adoptGeneration(log, codec, plan())
  assert.deepEqual(await log.endOffsets('generations'), [end])
  const known = await readGenerations(log, codec)
  assert.equal(known.live?.id, plan().id)
  const recipe = known.derivations.get(plan().stages[0]?.derivation ?? '')?.recipe
  assert.deepEqual(JSON.parse(recipe ?? ''), plan().stages[0]?.recipe)
})

test('two processes that adopt the same plan at once agree', async (t) => {
  const { log, codec } = await opened(t)
  await Promise.all([adoptGeneration(log, codec, plan()), adoptGeneration(log, codec, plan())])
  const known = await readGenerations(log, codec)
  assert.deepEqual([known.live?.id, known.generations.size, known.derivations.size], [plan().id, 1, 1])
})

test('another recipe is refused, saying in which stages it differs, and leaves the log as it was', async (t) => {
  const { log, codec } = await opened(t)
  await adoptGeneration(log, codec, plan())
  const ends = await log.endOffsets('generations')
  const refused = (other: GenerationPlan, message: RegExp) =>
    assert.rejects(adoptGeneration(log, codec, other), (error) => {
      return isLoomlogError(error, 'recipe-differs') && message.test(error.message)
    })
  await refused(plan({ revision: 2 }), new RegExp(`generation ${plan().id} .*the recipe of loom differs`))
  await refused(plan({ viewEmbedder: 'other' }), /the view embedder \(toy\) differs/)
  assert.deepEqual(await log.endOffsets('generations'), ends)
})

test('the last promotion wins', async (t) => {
  const { log, codec } = await opened(t)
  await adoptGeneration(log, codec, plan())
  const second = plan({ revision: 2 })
  const derivations = { loom: second.stages[0]?.derivation ?? '' }
  const events = [
    { type: 'GenerationDefined', id: second.id, derivations, viewEmbedder: 'toy' },
    { type: 'GenerationPromoted', generation: second.id, tenant: null, at: 0 },
  ] as const
  await log.append(
    'generations',
    events.map((event) => ({ key: null, partition: 0, value: codec.encode(event), timestamp: 0 })),
  )
  assert.equal((await readGenerations(log, codec)).live?.id, second.id)
})
