/** An older version of loomlog: the same processors with their previous revisions. */
import { GenerationsFollower } from '@loomlog/generations/follower'
import { planGeneration } from '@loomlog/generations/plan'
import { adoptGeneration } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { Hosting } from '@loomlog/host/hosting'
import { type Host, openHost } from '@loomlog/host/open'
import { configuredChoices, createDerivedTopics, stageParts } from '@loomlog/host/stage'
import { viewParts } from '@loomlog/materializer/hosting'
import { processorsOf } from '../../packages/app/processors.ts'
import type { Environment } from './loomlog.ts'

export const older = processorsOf({ extensions: [] }).map((processor) => ({
  ...processor,
  revision: processor.revision - 1,
}))

/** Makes the older version's generation the live one of a new log. */
export async function createOldLog(environment: Environment): Promise<string> {
  const host = await openHost(configFrom(environment))
  const plan = planGeneration(older, (processor) => configuredChoices(host, processor), host.embedder.vectorSpace.name)
  await createDerivedTopics(host, plan)
  await adoptGeneration(host.log, host.codec, plan)
  await host.close()
  return plan.id
}

export interface OldImage {
  readonly host: Host
  close(): Promise<void>
}

/** Runs all derivations of the older version, until it is closed. */
export async function startOldImage(environment: Environment, onError: (error: unknown) => void): Promise<OldImage> {
  const host = await openHost(configFrom(environment))
  const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: onError, onError })
  const listener = { onCommit: () => {}, onBackoff: () => {}, onFrozen: () => {}, onError }
  const stages = stageParts(host, older, listener)
  const views = viewParts(host, onError)
  const partsOf: typeof views = async (...of) => [...stages(...of), ...(await views(...of))]
  const hosting = await Hosting.start({ follower, partsOf, onTemporaryFailure: onError, onError })
  return {
    host,
    async close() {
      await hosting.close()
      await follower.close()
      await host.close()
    },
  }
}
