/**
 * The shared setup of a test run (`node --test-global-setup`): one Kafka, unless the environment names one or none is available, and Node's
 * compile cache, so that not every process compiles the sources again.
 */
import module from 'node:module'
import { startOneForAll } from '@loomlog/kafka-local/one-for-all'
import { startable } from '@loomlog/kafka-local/testing-cluster'

let kafka: { stop(): Promise<void> } | null = null

/** @public */
export async function globalSetup(): Promise<void> {
  const { directory } = module.enableCompileCache()
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
  const kind = await startable()
  if (kind !== null) kafka = await startOneForAll(kind)
}

/** @public */
export async function globalTeardown(): Promise<void> {
  await kafka?.stop()
}
