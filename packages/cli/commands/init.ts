/**
 * `loomlog init`: makes the topics and the first generation of a log, and derives nothing. A log that has one stays as
 * it is.
 */
import { prepareGenerations } from '@loomlog/app/generations/configured-generation'
import { processorsOf } from '@loomlog/app/processors'
import { liveGeneration } from '@loomlog/generations/pointers'
import type { Host } from '@loomlog/host/open'
import { type Output, print, printJson } from '../print.ts'

export async function init({ json }: Output, host: Host): Promise<void> {
  const generation = liveGeneration(await prepareGenerations(host, processorsOf(host)), null)?.generation ?? null
  if (json) printJson({ dir: host.config.dir, generation })
  else print(`generation ${generation} is live: loomlog up, the services, or loomlog ingest derive it`)
}
