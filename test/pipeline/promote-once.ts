/**
 * A process that a test kills: defines a generation with another parameter, starts it and promotes it, on the log that
 * the environment names. It skips completed steps, and derives nothing.
 */
import { liveGeneration } from '@loomlog/generations/pointers'
import { readGenerations } from '@loomlog/generations/store'
import { planSuccessor } from '@loomlog/generations/successor'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { configuredChoices } from '@loomlog/host/stage'
import { prepareGenerations } from '../../packages/app/generations/configured-generation.ts'
import { promoteGeneration, startGeneration } from '../../packages/app/generations/lifecycle.ts'
import { processorsOf } from '../../packages/app/processors.ts'

const host = await openHost(configFrom(process.env))
const processors = processorsOf(host)
await prepareGenerations(host, processors)
const known = await readGenerations(host.log, host.codec)
const [base] = known.generations.values()
if (!base) throw new Error('nothing is live')
const { plan, chosen } = planSuccessor({
  known,
  base,
  processors,
  defaults: (processor) => configuredChoices(host, processor),
  settings: [{ kind: 'parameter', stage: 'topic-loom', parameter: 'gapMs', value: 1_000 }],
  scope: 'all',
})
const generation = plan.id
await startGeneration(host, { plan, naming: { name: 'moved', chosen }, share: null, ifStarted: 'keep' })
if (liveGeneration(known, null)?.generation !== generation) {
  await promoteGeneration(host, { generation, tenant: null, cause: 'promoted' })
}
await host.close()
