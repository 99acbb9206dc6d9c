/**
 * `loomlog forget --every-space`: one forgetting in each space of a tenant. All are requested before the first is
 * carried out, so that any process continues them. The same command again continues after a kill: a request that is not
 * carried out yet is the same one, and where everything is gone already, the certificate of it is shown.
 */
import { logMemory } from '@loomlog/app/log-memory'
import { checkTenant, spacesWithUtterances } from '@loomlog/app/spaces'
import type { ForgettingReply } from '@loomlog/client/api'
import type { Memory } from '@loomlog/client/memory'
import { signedCertificate } from '@loomlog/forgetting/certificate'
import { readForgettings } from '@loomlog/forgetting/forgettings'
import type { Host } from '@loomlog/host/open'
import { cell, count, print, printJson, printNotice, table } from '../print.ts'
import { certifiedState, type ForgetOptions, forgettingFrom, whileDeriving } from './forget.ts'

export interface TenantPlace {
  readonly tenant: string
  readonly host: Host
  readonly signal: AbortSignal
}

interface SpaceForgetting extends Omit<ForgettingReply, 'preview' | 'unknown'> {
  readonly space: string
  readonly status: string | null
  readonly certificate: object | null
}

export async function forgetInEverySpace(options: ForgetOptions, place: TenantPlace): Promise<void> {
  const { tenant, host } = place
  forgettingFrom(options)
  await checkTenant(tenant, host)
  const onDropped = (_count: number, why: string) => printNotice(why)
  const memory = logMemory(host, { tenant, onDropped })
  try {
    const requested = await requestInEach(options, memory, place)
    const isWaiting = options.wait && requested.some(isOpen)
    const found = isWaiting ? await whileDeriving(host, () => completed(requested, memory, place)) : requested
    const isNothing = found.every(({ utterances, corrections, id }) => utterances + corrections === 0 && id === null)
    if (isNothing) process.exitCode = 2
    if (options.json) return printJson({ tenant, preview: options.yes !== true, spaces: found })
    printSpaces(found, options, tenant)
  } finally {
    await memory.close()
  }
}

function isOpen({ id, certificate }: SpaceForgetting): boolean {
  return id !== null && certificate === null
}

async function requestInEach(
  options: ForgetOptions,
  memory: Memory,
  { tenant, host, signal }: TenantPlace,
): Promise<readonly SpaceForgetting[]> {
  const keys = (await spacesWithUtterances(host)).filter((key) => key.startsWith(`${tenant}/`))
  const found: SpaceForgetting[] = []
  for (const key of keys) {
    if (signal.aborted) break
    const space = key.slice(tenant.length + 1)
    const { preview: _, unknown: __, ...reply } = await memory.space(space).forget(forgettingFrom(options))
    const isGone = options.everything === true && reply.utterances + reply.corrections === 0 && reply.id === null
    const last = isGone ? await lastForgetting(key, host) : {}
    found.push({ space, ...reply, status: null, certificate: null, ...last })
  }
  return found
}

/** The last forgetting of a space in which nothing is left. Its request may be destroyed before it is certified. */
async function lastForgetting(key: string, host: Host): Promise<Partial<SpaceForgetting>> {
  const last = (await readForgettings(key, host)).at(-1)
  return last === undefined ? {} : { id: last.id, status: last.status, certificate: signedCertificate(last) }
}

async function completed(
  requested: readonly SpaceForgetting[],
  memory: Memory,
  { signal }: TenantPlace,
): Promise<readonly SpaceForgetting[]> {
  const found: SpaceForgetting[] = []
  for (const each of requested) {
    const details = isOpen(each)
      ? await certifiedState(String(each.id), { space: memory.space(each.space), signal })
      : each
    found.push({ ...each, status: details.status, certificate: details.certificate })
  }
  return found
}

function printSpaces(found: readonly SpaceForgetting[], { yes }: ForgetOptions, tenant: string): void {
  const rows = found.map(({ space, utterances, corrections, kept, mentions, id, status }) => [
    cell(space),
    ...[utterances, corrections, kept, mentions.length].map(count),
    id === null ? '' : `${id} ${status ?? 'requested'}`,
  ])
  print(
    table([['space', 'utterances', 'corrections', 'events that stay', 'that name the speaker', 'forgetting'], ...rows]),
  )
  const total = found.reduce((sum, { utterances }) => sum + utterances, 0)
  print(`${count(total)} utterances in ${count(found.length)} spaces of ${cell(tenant)}`)
  if (yes !== true) print('this is a preview: nothing is changed. --yes forgets it, and can not be undone')
  else print('the same command continues after an end; with --json it prints the certificates of all spaces')
}
