/** `loomlog keys create|list|revoke`: API keys. A key is printed once, when it is made; the log has only its digest. */
import { createKey, readKeys, revokeKey } from '@loomlog/access/key-store'
import { isScope } from '@loomlog/access/scopes'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { checkedAddress } from '@loomlog/intake/utterance'
import { cell, dateTimeText, type Output, print, printJson, printNotice } from '../print.ts'

export interface CreateCommand extends Output {
  readonly tenant: string | null
  readonly everyTenant: boolean
  readonly scopes: readonly string[]
  readonly spaces: readonly string[] | null
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
  const { id, text } = await createKey({ tenant, scopes, spaces, label }, host)
  if (command.json) return printJson({ id, key: text, tenant, scopes, spaces, label })
  print(text)
  printNotice(`key ${id}, ${reachOf({ tenant, spaces })}, ${scopes.join(', ')}: it is not shown again`)
}

export async function keysList(output: Output, host: Host): Promise<void> {
  const keys = [...(await readKeys(host)).values()]
  if (output.json) return printJson(keys.map(({ digest: _, ...key }) => key))
  if (keys.length === 0) print('there are no keys')
  for (const key of keys) {
    const state = key.revokedAt === null ? '' : `revoked ${dateTimeText(key.revokedAt)}`
    const columns = [key.id, dateTimeText(key.at), reachOf(key), key.scopes.join(', '), key.label, state]
    print(
      columns
        .filter((text) => text !== '')
        .map(cell)
        .join('  '),
    )
  }
}

export async function keysRevoke(command: Output & { readonly id: string }, host: Host): Promise<void> {
  await revokeKey(command.id, host)
  if (command.json) printJson({ id: command.id, revoked: true })
  else print(`${command.id} is revoked`)
}

function reachOf({ tenant, spaces }: Pick<CreateCommand, 'tenant' | 'spaces'>): string {
  if (tenant === null) return 'every tenant'
  return spaces === null ? `tenant ${tenant}` : `tenant ${tenant}, spaces ${spaces.join(', ')}`
}
