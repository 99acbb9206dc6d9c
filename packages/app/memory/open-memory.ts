/**
 * The memory in a folder, in the process of its user: the log, the pipeline and recall, without a server. A call loads
 * only what it needs, so that the first message is durable soon after the start. The pipeline begins with the first
 * read, or once no message has come for a moment, and derives in the background.
 */
import { mkdir } from 'node:fs/promises'
import type { Memory } from '@loomlog/client/memory'
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { Intake } from '@loomlog/intake/append'
import type { Derivation } from './derivation.ts'
import { logMemory } from './log-memory.ts'
import type { WithReading } from './log-space-options.ts'

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
 * Opens the memory in a folder. Several processes may open the same folder; they share the work.
 * @throws LoomlogError `input-invalid`, `config-invalid`; `log-unavailable`, `log-corrupt`
 */
export async function openMemory({
  dir,
  tenant = 'default',
  env = process.env,
  onNotice = warn,
}: OpenMemoryOptions): Promise<Memory> {
  if (typeof dir !== 'string' || dir === '') throw invalidInput('dir', dir, 'the folder of the memory')
  const config = configFrom({ ...env, LOOMLOG_DIR: dir })
  await mkdir(config.dir, { recursive: true, mode: 0o700 })
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
  let starting: Promise<Derivation> | null = null
  let closing: Promise<void> | null = null

  function refuseClosed(): void {
    if (closing !== null) throw new LoomlogError('log-unavailable', `the memory in ${config.dir} is closed`)
  }

  async function started(): Promise<Derivation> {
    refuseClosed()
    starting ??= import('./derivation.ts').then(({ startDerivation }) => startDerivation(host, onNotice))
    return starting
  }

  /** A failure to begin is reported with the next read; appended messages are in the log all the same. */
  const begin = () => void started().catch(() => {})
  const latest = setTimeout(begin, latestMs)
  const calm = setTimeout(begin, calmMs)

  const withReading: WithReading = async (work, named = null) => {
    const { reader } = await started()
    return work(await reader.open(tenant, named))
  }
  const memory = logMemory(host, {
    tenant,
    withReading,
    withIntake: async (work) => {
      refuseClosed()
      try {
        return await work(intake)
      } finally {
        if (starting === null) calm.refresh()
      }
    },
    onDropped: (_count, why) => onNotice(`a served recall was not recorded: ${why}`),
  })

  async function end(): Promise<void> {
    clearTimeout(latest)
    clearTimeout(calm)
    const derivation = await starting?.catch(() => null)
    await derivation?.close()
    await memory.close()
    await intake.close()
    await host.close()
  }
  const close = () => {
    closing ??= end()
    return closing
  }
  return { space: memory.space, events: memory.events, close, [Symbol.asyncDispose]: close }
}

function warn(text: string): void {
  process.emitWarning(text, 'LoomlogWarning')
}
