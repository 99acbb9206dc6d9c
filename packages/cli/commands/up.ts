/** `loomlog up`: the pipeline and the HTTP API in one process, until it is stopped. */
import { type Server, startServer } from '@loomlog/app/server'
import type { Config } from '@loomlog/host/config'
import { limitHeapGrowth } from '@loomlog/host/heap-growth'
import type { Host } from '@loomlog/host/open'
import { stopWithinMs } from '@loomlog/host/service'
import { traceIds } from '@loomlog/telemetry/spans'
import pino from 'pino'
import { type Output, printJson, printNotice } from '../print.ts'

export interface UpOptions extends Output {
  readonly address: Config['http']
  /** Of the log lines on stderr. */
  readonly level: string
}

export async function up({ address, level, json }: UpOptions, host: Host, signal: AbortSignal): Promise<void> {
  limitHeapGrowth()
  const logger = pino({ name: 'loomlog', level, mixin: traceIds }, pino.destination(2))
  const server = await startServer(host, { address, logger, signal, onNews: printNotice })
  try {
    await untilOver(server, { json, signal, dir: host.config.dir })
  } finally {
    await server.close()
  }
  server.failed.throwIfAborted()
}

async function untilOver(
  { url, pipeline, failed }: Server,
  { json, signal, dir }: Output & { readonly signal: AbortSignal; readonly dir: string },
): Promise<void> {
  if (json) printJson({ url, dir, generation: pipeline.serving.id })
  else printNotice(`loomlog is up: ${url}, log and views in ${dir}; Ctrl-C stops it`)
  const over = AbortSignal.any([signal, failed])
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
  printNotice('stopping')
  setTimeout(exitNow, stopWithinMs).unref()
}

/** Ends without waiting any longer: acknowledged events are in the log. */
function exitNow(): never {
  printNotice(`not stopped within ${stopWithinMs / 1_000} s: the process ends now`)
  process.exit(1)
}
