/**
 * Carries a forgetting from its request to its certificate. Every step ends with a record in `forgettings`, and every
 * step can be repeated, so another process continues after one that died.
 *
 *     requested ─► rewritten ─► listed ─► destroyed ─► certified
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { certificateOf, saltedId, signatureOf } from '@loomlog/forgetting/certificate'
import { appendForgettingEvents, type ForgettingState, readForgettings } from '@loomlog/forgetting/forgettings'
import { type Inventory, inventoryOf } from '@loomlog/forgetting/inventory'
import { rewriteSpace } from '@loomlog/forgetting/rewrite'
import { signingKey } from '@loomlog/forgetting/signing-key'
import type { Host } from '@loomlog/host/open'
import { crashPoint } from '@loomlog/log/crash-points'
import type { ForgettingStatus, ForgettingStatusChanged, RecordsListed } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { withoutAuditedIds } from './audited-ids.ts'

export interface JobOptions {
  readonly signal: AbortSignal
  /** The stages and views that have not passed the marker; none: all have. */
  behind(state: ForgettingState): Promise<readonly string[]>
  /** Reports a step that is complete, or the stages and views that it waits for. */
  onProgress(status: ForgettingStatus, waitingFor: readonly string[]): void
}

const pollMs = 200
/** Every process uses a new key within a second. */
const rotationMs = 2_000
/** Hashes in one record, so that it stays far below the log's limit. */
const hashesInPart = 5_000

/** Returns at once when the signal aborts. @throws LoomlogError; the job continues from its last step when called again */
export async function carryOn(state: ForgettingState, host: Host, options: JobOptions): Promise<void> {
  for (let current = state; current.status !== 'certified' && !options.signal.aborted; ) {
    options.onProgress(current.status, [])
    await step(current, host, options)
    current = await readAgain(current, host)
  }
}

async function step(state: ForgettingState, host: Host, options: JobOptions): Promise<void> {
  switch (state.status) {
    case 'requested':
      return rewrite(state, host)
    case 'rewritten':
      return list(state, host, options)
    case 'listed':
      return destroy(state, host)
    case 'destroyed':
      return certify(state, host)
    case 'certified':
  }
}

async function rewrite(state: ForgettingState, host: Host): Promise<void> {
  const { request } = state
  if (request === null) throw new Error(`the request of forgetting ${state.id} is gone before its end`)
  // A key of its own for what is kept, so that the older one can be destroyed.
  if (host.log.sealing !== null) {
    await host.log.sealing.rotate(spaceKey(state.tenant, state.space))
    await sleep(rotationMs)
  }
  const { kept } = await rewriteSpace(request, host)
  await advance(state, 'rewritten', host, { kept, principal: request.principal })
}

/** Durable before the first record is destroyed: afterwards nobody could list them. */
async function list(state: ForgettingState, host: Host, { behind, onProgress, signal }: JobOptions): Promise<void> {
  for (;;) {
    const waitingFor = await behind(state)
    if (waitingFor.length === 0) break
    onProgress(state.status, waitingFor)
    await sleep(pollMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
  }
  crashPoint('forget.before-list')
  for (const part of partsOf(state, await inventoryOf(state, host))) {
    await appendForgettingEvents([part], host)
    crashPoint('forget.within-list')
  }
  await advance(state, 'listed', host, {})
  crashPoint('forget.after-list')
}

function partsOf(state: ForgettingState, { records, forgotten }: Inventory): readonly RecordsListed[] {
  const [name, salt] = [randomBytes(16).toString('hex'), randomBytes(32).toString('base64url')]
  const parts = Math.max(1, Math.ceil(forgotten.length / hashesInPart))
  const byType = Map.groupBy(records, ({ type }) => type)
  const counts = Object.fromEntries(Array.from(byType, ([type, { length }]) => [type, length]))
  return Array.from({ length: parts }, (_, part) => {
    const listed = forgotten.slice(part * hashesInPart, (part + 1) * hashesInPart)
    return {
      type: 'RecordsListed',
      ...placeOf(state),
      list: name,
      part,
      parts,
      salt,
      hashes: listed.map(({ hash }) => hash),
      ids: [...new Set(listed.map(({ id }) => id))].map((id) => saltedId(id, salt)),
      counts: part === 0 ? counts : {},
      at: Date.now(),
    }
  })
}

async function destroy(state: ForgettingState, host: Host): Promise<void> {
  const { records } = await inventoryOf(state, host)
  await withoutAuditedIds(state, records, host)
  await host.log.erase(records.map(({ position }) => position))
  crashPoint('forget.after-erase')
  await host.log.sealing?.destroyRetired(spaceKey(state.tenant, state.space))
  await advance(state, 'destroyed', host, {})
}

async function certify(state: ForgettingState, host: Host): Promise<void> {
  crashPoint('forget.before-certificate')
  const { privateKey, publicKey } = signingKey(host.config.dir)
  const signature = signatureOf(certificateOf(state, publicKey), privateKey)
  await advance(state, 'certified', host, { publicKey, signature })
}

type StatusFields = Partial<Pick<ForgettingStatusChanged, 'kept' | 'answers' | 'principal' | 'publicKey' | 'signature'>>

async function advance(
  state: ForgettingState,
  status: ForgettingStatus,
  host: Pick<Host, 'log' | 'codec'>,
  fields: StatusFields,
): Promise<void> {
  await appendForgettingEvents([statusEvent(state, status, fields)], host)
}

export function statusEvent(
  state: Pick<ForgettingState, 'id' | 'tenant' | 'space'>,
  status: ForgettingStatus,
  fields: StatusFields,
): ForgettingStatusChanged {
  const none = { answers: 0, kept: 0, principal: null, publicKey: null, signature: null, keyId: null }
  return { type: 'ForgettingStatusChanged', ...placeOf(state), status, ...none, ...fields, at: Date.now() }
}

function placeOf({ id, tenant, space }: Pick<ForgettingState, 'id' | 'tenant' | 'space'>) {
  return { forgetting: id, tenant, space }
}

async function readAgain({ id, tenant, space }: ForgettingState, host: Host): Promise<ForgettingState> {
  const found = (await readForgettings(spaceKey(tenant, space), host)).find((state) => state.id === id)
  if (found === undefined) throw new Error(`forgetting ${id} has no records any more`)
  return found
}
