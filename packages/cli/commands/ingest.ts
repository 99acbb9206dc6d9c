/** `loomlog ingest FILE`: conversations from a file into the log, and everything derived from them. Again changes nothing. */
import { readFile } from 'node:fs/promises'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { type Format, formats, readFormat } from '@loomlog/intake/formats'
import type { Place } from '@loomlog/intake/utterance'
import { countDerived } from '../derived.ts'
import { startPipeline } from '../pipeline.ts'
import { count, type Output, print, printJson, say } from '../print.ts'
import { ProgressLine } from '../progress-line.ts'

export interface IngestOptions extends Output {
  readonly file: string
  readonly format: string
  readonly place: Place
}

export async function ingest(options: IngestOptions, host: Host, signal: AbortSignal): Promise<void> {
  const format = formats.find((known) => known === options.format)
  if (!format)
    throw new LoomlogError('input-invalid', `--format is ${options.format}: expected ${formats.join(' or ')}`)
  const startedAt = performance.now()
  const incoming = await read(options, format)
  say(`appending ${count(incoming.length)} events from ${options.file}`)
  const onProgress = (done: number) => say(`acknowledged ${count(done)} events`)
  const appended = await appendOnce(incoming, { log: host.log, codec: host.codec, signal, onProgress })
  const pipeline = await startPipeline(host, (error) => say(`waiting: ${error.message}`))
  const line = new ProgressLine()
  try {
    await pipeline.caughtUp(signal, (progress) => line.show(progress))
  } finally {
    line.end()
    await pipeline.close()
  }
  if (signal.aborted) {
    say('stopped: what is appended stays; the same command goes on from here')
    return
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const derived = await countDerived(host, pipeline.plan)
  if (options.json) return printJson({ ...appended, ...derived, seconds })
  print(`${count(appended.appended)} events appended, ${count(appended.known)} known before`)
  for (const [name, number] of Object.entries(derived)) print(`${count(number).padStart(8)} ${name}`)
  print(`${seconds.toFixed(1)} s`)
}

async function read(options: IngestOptions, format: Format) {
  try {
    const text = await readFile(options.file, 'utf8')
    return readFormat(format, { file: options.file, text, place: options.place, appendedAt: Date.now() })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined || cause instanceof LoomlogError) throw cause
    throw new LoomlogError('input-invalid', `${options.file} can't be read: ${(cause as Error).message}`, { cause })
  }
}
