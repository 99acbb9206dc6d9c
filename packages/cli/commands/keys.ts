/**
 * `loomlog keys create|list|rotate|revoke`: API keys. A key is printed once, when it is made; the log has only its
 * digest.
 */
import { createKey, readKeys, revokeKey, rotateKey } from '@loomlog/access/key-store'
import { readKeyUses } from '@loomlog/access/key-uses'
import { type AccessKey, endOfKey, stateOfKey } from '@loomlog/access/keys'
import { isRole } from '@loomlog/access/roles'
import { isScope } from '@loomlog/access/scopes'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { checkedAddress } from '@loomlog/intake/utterance'
import { durationFrom, expiryFrom } from '../lifetime.ts'
import { dateTimeText, type Output, print, printJson, printNotice, table } from '../print.ts'

export interface CreateCommand extends Output {
  readonly tenant: string | null
  readonly everyTenant: boolean
  readonly scopes: readonly string[]
  readonly spaces: readonly string[] | null
  readonly speakers: readonly string[] | null
  readonly roles: readonly string[] | null
  readonly expires: string
  readonly label: string
}

export async function keysCreate(command: CreateCommand, host: Host): Promise<void> {
  const { everyTenant, label } = command
  if ((command.tenant === null) !== everyTenant)
    throw new LoomlogError('input-invalid', 'a key is for one tenant or for all: name --tenant NAME, or --every-tenant')
  const nameOf = (tenant: string) => checkedAddress({ tenant, space: 'any' }).tenant
  const tenant = command.tenant === null ? null : nameOf(command.tenant)
  const spaces = command.spaces?.map((space) => checkedAddress({ tenant: 'any', space }).space) ?? null
  const scopes = [...new Set(command.scopes.filter(isScope))]
  const { speakers } = command
  const roles = command.roles?.filter(isRole) ?? null
  const expiresAt = expiryFrom('expires', command.expires, Date.now())
  const request = { tenant, scopes, spaces, label, speakers, roles, expiresAt }
  const { id, text, grants } = await createKey(request, host)
  if (command.json) return printJson({ id, key: text, ...grants })
  print(text)
  const shown = [reachOf(grants), scopes.join(', '), authorsOf(grants), endText(grants.expiresAt)]
  printNotice(`key ${id}; ${shown.filter((part) => part !== '').join('; ')}: it is not shown again`)
}

export async function keysList(output: Output, host: Host): Promise<void> {
  const keys = [...(await readKeys(host)).values()]
  const uses = await readKeyUses(host)
  const now = Date.now()
  if (output.json) return printJson(keys.map((key) => listedKey(key, uses.get(key.id) ?? null, now)))
  if (keys.length === 0) return print('there are no keys')
  const head = ['id', 'created', 'expires', 'reaches', 'scopes', 'writes as', 'last use', 'label', 'state']
  const rows = keys.map((key) => {
    const end = endOfKey(key)
    return [
      key.id,
      dateTimeText(key.at),
      end === null ? 'never' : dateTimeText(end),
      reachOf(key),
      key.scopes.join(', '),
      authorsOf(key),
      uses.has(key.id) ? dateTimeText(uses.get(key.id) ?? null) : 'none recorded',
      key.label,
      stateText(key, now),
    ]
  })
  print(table([head, ...rows]))
}

export interface RotateCommand extends Output {
  readonly id: string
  readonly overlap: string
  /** Undefined: as long as the old key was made for. */
  readonly expires?: string | undefined
}

export async function keysRotate({ id, overlap, expires, ...output }: RotateCommand, host: Host): Promise<void> {
  const overlapMs = durationFrom('overlap', overlap)
  const expiry = expires === undefined ? {} : { expiresAt: expiryFrom('expires', expires, Date.now()) }
  const made = await rotateKey(id, { overlapMs, ...expiry }, host)
  const { text, expiresAt, replacedExpiresAt } = made
  if (output.json) return printJson({ id: made.id, key: text, expiresAt, replaces: id, replacedExpiresAt })
  print(text)
  printNotice(`key ${made.id}, ${endText(expiresAt)}, replaces ${id}: it is not shown again`)
  const hasEnded = replacedExpiresAt <= Date.now()
  printNotice(`${id} ${hasEnded ? 'has ended' : `ends at ${dateTimeText(replacedExpiresAt)} UTC`}`)
}

export async function keysRevoke(command: Output & { readonly id: string }, host: Host): Promise<void> {
  await revokeKey(command.id, host)
  if (command.json) printJson({ id: command.id, revoked: true })
  else print(`${command.id} is revoked`)
}

function listedKey(key: AccessKey, lastUsedHour: number | null, now: number) {
  const { digest: _, ...shown } = key
  return { ...shown, endsAt: endOfKey(key), state: stateOfKey(key, now), lastUsedHour }
}

function reachOf({ tenant, spaces }: Pick<AccessKey, 'tenant' | 'spaces'>): string {
  if (tenant === null) return 'every tenant'
  return spaces === null ? `tenant ${tenant}` : `tenant ${tenant}, spaces ${spaces.join(', ')}`
}

/** Scopes whose requests have an author. */
const writing: ReadonlySet<string> = new Set(['append', 'correct', 'forget'])

/** The authors in whose names the key writes; empty: it doesn't write. */
function authorsOf({ scopes, speakers, roles }: Pick<AccessKey, 'scopes' | 'speakers' | 'roles'>): string {
  if (!scopes.some((scope) => writing.has(scope))) return ''
  if (speakers === null && roles === null) return 'any speaker'
  const named = speakers === null ? 'any speaker' : `only ${speakers.join(', ')}`
  return roles === null ? named : `${named}, as ${roles.join(', ')}`
}

function endText(end: number | null): string {
  return end === null ? 'without an expiry' : `until ${dateTimeText(end)} UTC`
}

function stateText(key: AccessKey, now: number): string {
  const replaced = key.replacement === null ? '' : `replaced by ${key.replacement.id}`
  switch (stateOfKey(key, now)) {
    case 'revoked':
      return `revoked ${dateTimeText(key.revokedAt)}`
    case 'expired':
      return replaced === '' ? 'expired' : `expired, ${replaced}`
    case 'valid':
      return replaced
  }
}
