/** `loomlog up`: everything in one process, with HTTP on this machine only, until it is told to stop. */
import { createServer } from 'node:net'
import { type Pipeline, startPipeline } from '@loomlog/app/pipeline'
import { LoomlogError } from '@loomlog/errors'
import { createGateway } from '@loomlog/gateway/gateway'
import { appendPauses } from '@loomlog/gateway/pauses'
import { GenerationsFollower } from '@loomlog/generations/follower'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import { stopWithinMs } from '@loomlog/host/service'
import type { Membership } from '@loomlog/log/port'
import { Recalls } from '@loomlog/recall/recall-recorder'
import pino from 'pino'
import { type Output, printJson, say } from '../print.ts'
import { readStatus } from './status.ts'

export interface UpOptions extends Output {
  readonly port: number
}

const host = '127.0.0.1'

export async function up({ port, json }: UpOptions, opened: Host, signal: AbortSignal): Promise<void> {
  const logger = pino({ name: 'loomlog', level: process.env.LOOMLOG_LOG_LEVEL ?? 'warn' }, pino.destination(2))
  const onError = (error: unknown) => logger.warn(error)
  const follower = await GenerationsFollower.open({ ...opened, onTrouble: onError, onError })
  const readings = new Readings(opened, follower)
  const onDropped = (count: number, why: string) => logger.warn(`${count} served recalls were not recorded: ${why}`)
  const recalls = opened.config.recalls === 'on' ? new Recalls({ ...opened, onDropped }) : null
  let pipeline: Pipeline | null = null
  let pauses: Membership | null = null
  const status = async () => ({ ...(await readStatus(opened)), paused: Object.fromEntries(pipeline?.paused ?? []) })
  const gateway = createGateway({
    ...opened,
    reading: (tenant, named) => readings.of(tenant, named),
    logger,
    status,
    recalls,
  })
  try {
    // The port first: where it is taken, nothing is begun.
    const url = await listen(gateway, port)
    pipeline = await startPipeline(opened, { onTrouble: onError, onNews: say, signal })
    const { log, codec, config } = opened
    const { session, pauseAfterMs } = config
    pauses = await appendPauses({ log, codec, session, pauseAfterMs, signal, onError })
    if (json) printJson({ url, dir: opened.config.dir, generation: pipeline.serving.id })
    else say(`loomlog is up: ${url}, log and views in ${opened.config.dir}; Ctrl-C stops it`)
    const over = AbortSignal.any([signal, pipeline.failed])
    if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
    say('stopping')
    setTimeout(giveUp, stopWithinMs).unref()
  } finally {
    await gateway.close()
    await recalls?.close()
    await pauses?.close()
    await pipeline?.close()
    await readings.close()
    await follower.close()
  }
  pipeline.failed.throwIfAborted()
}

/** Whatever does not answer: what is acknowledged is in the log. */
function giveUp(): never {
  say(`not stopped within ${stopWithinMs / 1_000} s: ended`)
  process.exit(1)
}

/** Before a log is opened, so that none is made where nothing can listen. @throws LoomlogError `config-invalid` */
export async function checkPort(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(portTaken(port, cause)))
    server.listen(port, host, () => server.close(() => resolve()))
  })
}

async function listen(gateway: ReturnType<typeof createGateway>, port: number): Promise<string> {
  try {
    return await gateway.listen({ host, port })
  } catch (cause) {
    throw portTaken(port, cause as NodeJS.ErrnoException)
  }
}

function portTaken(port: number, cause: NodeJS.ErrnoException): LoomlogError {
  const why = cause.code === 'EADDRINUSE' ? 'another process has it' : cause.message
  return new LoomlogError('config-invalid', `port ${port} on ${host} can't be used: ${why}`, { cause })
}
