/**
 * Resources that all processes of a test run share: one Kafka, unless the environment names one or none is available;
 * warm processes for commands; and Node's compile cache, so that not every process compiles the sources again.
 */
import module from 'node:module'
import { startTestRunKafka } from '@loomlog/kafka-local/test-run-kafka'
import { startableKind } from '@loomlog/kafka-local/testing-cluster'
import { sharePool } from './pipeline/warm-processes.ts'

/** Later processes find these resources by their environment. */
export async function startRunResources(): Promise<{ stop(): Promise<void> }> {
  const { directory } = module.enableCompileCache()
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
  const kind = await startableKind()
  const kafka = kind === null ? null : await startTestRunKafka(kind)
  const pool = await sharePool()
  return {
    async stop() {
      await Promise.all([pool.close(), kafka?.stop()])
    },
  }
}
