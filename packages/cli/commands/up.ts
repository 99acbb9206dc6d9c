/** `loomlog up`: everything in one process, with HTTP on this machine only, until it is told to stop. */
import { createGateway } from '@loomlog/gateway/gateway'
import type { Host } from '@loomlog/host/open'
import pino from 'pino'
import { viewReader } from '../generation.ts'
import { startPipeline } from '../pipeline.ts'
import { type Output, printJson, say } from '../print.ts'
import { readStatus } from './status.ts'

export interface UpOptions extends Output {
  readonly port: number
}

const host = '127.0.0.1'

export async function up({ port, json }: UpOptions, opened: Host, signal: AbortSignal): Promise<void> {
  const logger = pino({ name: 'loomlog', level: process.env.LOOMLOG_LOG_LEVEL ?? 'warn' }, pino.destination(2))
  const pipeline = await startPipeline(opened, (error) => logger.warn(error))
  const views = viewReader(opened, pipeline.plan)
  const { log, codec, embedder } = opened
  const status = async () => ({ ...(await readStatus(opened)), paused: Object.fromEntries(pipeline.paused) })
  const gateway = createGateway({ log, codec, embedder, views, logger, status })
  const url = await gateway.listen({ host, port })
  if (json) printJson({ url, dir: opened.config.dir, generation: pipeline.plan.id })
  else say(`loomlog is up: ${url}, log and views in ${opened.config.dir}; Ctrl-C stops it`)
  const over = AbortSignal.any([signal, pipeline.failed])
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
  say('stopping')
  await gateway.close()
  await pipeline.close()
  await views.close()
  pipeline.failed.throwIfAborted()
}
