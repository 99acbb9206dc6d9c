/**
 * Derives the memory of a trial twice: by rules in `DIR/rules`, and with a model in `DIR/model`, whose answers are
 * recorded ones. A stopped derivation resumes. A folder that other code has derived is refused, since a log keeps its
 * prompts and would be measured with them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { codeParts } from '../../figures/code-parts.ts'
import { loomlog } from '../../pipeline/loomlog.ts'
import { AnswerStore } from './answer-store.ts'
import { type EndpointCounts, startRecordedEndpoint } from './recorded-endpoint.ts'
import { RelayFolder } from './relay-folder.ts'
import { linesOf, spaceName, type Trial } from './trial.ts'

export const derivations = ['rules', 'model'] as const
export type Derivation = (typeof derivations)[number]

/** People and models take their time: the longest that the settings allow. */
const timeoutMs = 3_600_000
const concurrency = 64
/** A machine that is busy with other work must not lose its partitions. */
const sessionMs = 30_000

export function folderOf(dir: string, derivation: Derivation): string {
  return join(dir, derivation)
}

export interface DeriveOptions {
  readonly dir: string
  /** The folder in which requests without a recorded answer wait; null: there must be none. */
  readonly relay: string | null
  /** Takes lines about the progress. */
  readonly report: (line: string) => void
}

export async function deriveTrial(trial: Trial, { dir, relay, report }: DeriveOptions): Promise<void> {
  mkdirSync(dir, { recursive: true })
  refuseOtherCode(trial, dir)
  const file = join(dir, 'messages.jsonl')
  writeFileSync(file, linesOf(trial))
  await ingest(file, folderOf(dir, 'rules'), { LOOMLOG_MODEL: '' })
  report(`rules: ${trial.messages.length} messages are derived`)
  const endpoint = await startRecordedEndpoint({
    store: new AnswerStore(join(trial.recorded, 'model')),
    relay: relay === null ? null : new RelayFolder(relay),
    onProgress: (counts) => report(`model: ${progressText(counts)}`),
  })
  const environment = {
    LOOMLOG_MODEL: 'recorded',
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
    LOOMLOG_API_KEY: 'none-needed',
    LOOMLOG_MODEL_TIMEOUT_MS: String(timeoutMs),
    LOOMLOG_MODEL_CONCURRENCY: String(concurrency),
  }
  try {
    await Promise.race([ingest(file, folderOf(dir, 'model'), environment), endpoint.missing])
    report(`model: ${trial.messages.length} messages are derived; ${progressText(endpoint.counts())}`)
  } finally {
    await endpoint.close()
  }
}

async function ingest(file: string, dir: string, environment: { readonly [name: string]: string }): Promise<void> {
  const args = ['ingest', file, '--format', 'jsonl', '--space', spaceName, '--dir', dir]
  const { code, stderr } = await loomlog(args, { ...environment, LOOMLOG_SESSION_MS: String(sessionMs) })
  if (code !== 0) throw new Error(`the derivation in ${dir} failed: ${stderr}`)
}

function refuseOtherCode({ conversations }: Trial, dir: string): void {
  const { 'weights of recall': _, ...code } = codeParts()
  const made = JSON.stringify({ conversations: conversations.map(({ name }) => name), code }, null, 2)
  const file = join(dir, 'made-with.json')
  if (existsSync(file) && readFileSync(file, 'utf8') !== made) {
    throw new LoomlogError(
      'input-invalid',
      `--dir is ${dir}, which was derived from other conversations, or with other revisions or prompts: expected a new folder`,
    )
  }
  writeFileSync(file, made)
}

function progressText({ asked, recorded, relayed, waiting }: EndpointCounts): string {
  return `${asked} requests asked, ${recorded} answered from the recording, ${relayed} through the relay, ${waiting} waiting`
}
