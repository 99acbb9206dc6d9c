/**
 * The memory in a folder, in the process of its user: the log, the pipeline and recall, without a server. A call loads
 * only what it needs, so that the first message is durable soon after the start. The pipeline begins with the first
 * read, or once no message has come for a moment, and derives in the background.
 */
import { mkdir } from 'node:fs/promises'
import type { EventOptions, Memory } from '@loomlog/client/memory'
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { Intake } from '@loomlog/intake/append'
import { checkedAddress } from '@loomlog/intake/utterance'
import type { Derivation } from './derivation.ts'
import { logMemory } from './log-memory.ts'

export interface OpenMemoryOptions {
  /** The folder of the log and the views. It is made if it is missing, readable by its owner alone. */
  readonly dir: string
  /** Default: `default`. Memories of one tenant are never in a reply to another. */
  readonly tenant?: string | undefined
  /** The settings, such as `LOOMLOG_MODEL`. Default: `process.env`. `LOOMLOG_DIR` is `dir`. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
  /** Reports for people, such as views that are rebuilt. Default: `process.emitWarning`. */
  readonly onNotice?: ((text: string) => void) | undefined
}

/**
 * The pipeline begins after this long without an append, so that its loading holds up none; or this long after the
 * opening at the latest.
 */
const [calmMs, latestMs] = [500, 5_000]

/**
 * Opens the memory in a folder. Several processes may open the same folder; they share the work. The process stays
 * alive until `close`.
 * @throws LoomlogError `input-invalid`, `config-invalid`; `log-unavailable`, `log-corrupt`
 */
export async function openMemory(options: OpenMemoryOptions): Promise<Memory> {
  if (options === null || typeof options !== 'object') throw invalidInput('the options', options, 'an object with dir')
  refuseUnknownFields(options, ['dir', 'tenant', 'env', 'onNotice'])
  const { dir, tenant = 'default', env = process.env, onNotice = warn } = options
  if (typeof dir !== 'string' || dir === '') throw invalidInput('dir', dir, 'the folder of the memory')
  checkedAddress({ tenant, space: 'any' })
  const config = configFrom({ ...env, LOOMLOG_DIR: dir })
  await mkdir(config.dir, { recursive: true, mode: 0o700 }).catch((cause) => {
    throw new LoomlogError('log-unavailable', `${config.dir} can't be made: ${cause.message}`, { cause })
  })
  const host = await openHost(config, onNotice)
  try {
    return memoryOf(host, tenant, onNotice)
  } catch (error) {
    await host.close()
    throw error
  }
}

function memoryOf(host: Host, tenant: string, onNotice: (text: string) => void): Memory {
  const { log, codec, config } = host
  const intake = new Intake({ log, codec, dir: config.dir })
  const closed = new AbortController()
  const calls = new Set<Promise<unknown>>()
  let starting: Promise<Derivation> | null = null
  let closing: Promise<void> | null = null

  function refuseClosed(): void {
    if (closed.signal.aborted) throw new LoomlogError('log-unavailable', `the memory in ${config.dir} is closed`)
  }

  /** `close` waits for the work. */
  async function whileOpen<T>(work: () => Promise<T>): Promise<T> {
    refuseClosed()
    const call = work()
    const settled = call.catch(() => {})
    calls.add(settled)
    return call.finally(() => calls.delete(settled))
  }

  /** After a failure the next call begins again. */
  async function started(): Promise<Derivation> {
    starting ??= import('./derivation.ts')
      .then(({ startDerivation }) => startDerivation(host, onNotice))
      .catch((error) => {
        starting = null
        throw error
      })
    return starting
  }

  /** Appended messages are in the log, and are derived later. */
  function begin(): void {
    whileOpen(started).catch((error: Error) => {
      if (closed.signal.aborted) return
      onNotice(`deriving has not begun, and is tried again: ${error.message}`)
      latest.refresh()
    })
  }

  const memory = logMemory(host, {
    tenant,
    withCall: whileOpen,
    withReading: async (work, named = null) => {
      const { reader } = await started()
      return work(await reader.open(tenant, named))
    },
    withIntake: (work) =>
      work(intake).finally(() => {
        if (starting === null && !closed.signal.aborted) calm.refresh()
      }),
    onDropped: (_count, why) => onNotice(`a served recall was not recorded: ${why}`),
  })
  const latest = setTimeout(begin, latestMs)
  const calm = setTimeout(begin, calmMs)

  /** The events end with the memory. */
  async function* whileOpenEvents(read: Memory['events'], { signal, ...options }: EventOptions = {}) {
    refuseClosed()
    yield* read({ ...options, signal: signal ? AbortSignal.any([signal, closed.signal]) : closed.signal })
  }

  async function end(): Promise<void> {
    closed.abort()
    clearTimeout(latest)
    clearTimeout(calm)
    await Promise.all(calls)
    const derivation = await starting
    await derivation?.close()
    await memory.close()
    await intake.close()
    await host.close()
  }
  const close = () => {
    closing ??= end()
    return closing
  }
  return {
    space(name) {
      const space = memory.space(name)
      return { ...space, events: (options) => whileOpenEvents(space.events, options) }
    },
    events: (options) => whileOpenEvents(memory.events, options),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function warn(text: string): void {
  process.emitWarning(text, 'LoomlogWarning')
}
