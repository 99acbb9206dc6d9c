/**
 * Carries a forgetting from its request to its certificate. Every step ends with a record in `forgettings`, and every
 * step can be repeated, so another process continues after one that died.
 *
 *     requested ─► rewritten ─► listed ─► destroyed ─► certified
 *                      └──► passed ──┘ ▲
 *                              └───────┘
 *
 * A log that doesn't erase records destroys them with the key of their space. A stage that lags writes its outputs of
 * forgotten events after the rotation of the key, with the new one. So once all stages have passed the marker, the key
 * is rotated again, and the space is rewritten again: `passed`. That is repeated while a record behind the last marker
 * is sealed with a retired key, since a process may have begun its append before the rotation. A
 * generation that is started after the list leads back to `passed` too: it reads the forgotten events.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { certificateOf, saltedId, signatureOf } from '@loomlog/forgetting/certificate'
import {
  appendForgettingEvents,
  type Forgetting,
  type ForgettingState,
  forgettingsTopic,
  readForgettings,
} from '@loomlog/forgetting/forgettings'
import { type Inventory, inventoryOf } from '@loomlog/forgetting/inventory'
import { rewriteSpace } from '@loomlog/forgetting/rewrite'
import { signingKey } from '@loomlog/forgetting/signing-key'
import { readEras } from '@loomlog/forgetting/space-history'
import type { Host } from '@loomlog/host/open'
import { ContentFile } from '@loomlog/intake/content-file'
import { crashPoint } from '@loomlog/log/crash-points'
import { partitionOf } from '@loomlog/log/partition'
import type { ForgettingStatus, ForgettingStatusChanged, RecordsListed } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { forgetTexts } from '@loomlog/text-caches'
import { withoutAuditedIds } from './audited-ids.ts'
import type { Passage } from './passage.ts'

export interface JobOptions {
  readonly signal: AbortSignal
  readonly passage: Pick<Passage, 'behind' | 'hasOutdated'>
  /** Reports a step that is complete, or the stages and views that it waits for. */
  onProgress(status: ForgettingStatus, waitingFor: readonly string[]): void
}

const pollMs = 200
/** Every process uses a new key within half a second. */
const rotationMs = 1_000
/** Hashes in one record, so that it stays far below the log's limit. */
const hashesInPart = 5_000

/** Returns at once when the signal aborts. @throws LoomlogError: the next call continues from the last step */
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
      if (!(await hasPassed(state, options))) return
      return host.log.erasesRecords ? list(state, host) : passAgain(state, host)
    case 'passed':
      return rewriteAgain(state, host, options)
    case 'listed':
      return destroy(state, host, options)
    case 'destroyed':
      return certify(state, host)
    case 'certified':
  }
}

async function rewrite(state: ForgettingState, host: Host): Promise<void> {
  const request = requestOf(state)
  await rotate(state, 0, host)
  const { kept, markers } = await rewriteSpace(request, 0, host)
  await advance(state, 'rewritten', host, { kept, markers, principal: request.principal })
}

async function passAgain(state: ForgettingState, host: Host): Promise<void> {
  const { markers } = await rewriteSpace(requestOf(state), 0, host)
  await advance(state, 'passed', host, { markers })
}

async function rewriteAgain(state: ForgettingState, host: Host, options: JobOptions): Promise<void> {
  const earlier = state.steps.passed?.markers ?? 0
  await rotate(state, earlier, host)
  await rewriteSpace(requestOf(state), earlier, host)
  if (!(await hasPassed(state, options))) return
  return (await options.passage.hasOutdated()) ? passAgain(state, host) : list(state, host)
}

/**
 * A key of its own for the kept events, so that the older one can be destroyed. After an interruption the copies may be
 * there already, under the newest key: another one would leave them to be destroyed.
 * @param earlier markers of this forgetting that do not count
 */
async function rotate({ id, tenant, space }: ForgettingState, earlier: number, host: Host): Promise<void> {
  const { sealing } = host.log
  if (sealing === null) return
  const key = spaceKey(tenant, space)
  const markers = (await readEras(key, host)).filter(({ marker }) => marker?.forgetting === id)
  if (markers.length > earlier) return
  await sealing.rotate(key)
  await sleep(rotationMs)
}

/**
 * Appends again what other writers appended behind the marker under a retired key: their appends began before the
 * rotation. Repeated ids are duplicates for every reader.
 */
async function keepLateAppends(space: string, { log, codec, partitions }: Host): Promise<void> {
  if (log.sealing === null) return
  const partition = partitionOf(space, partitions)
  const marker = (await readEras(space, { log, codec, partitions })).at(-1)?.marker
  if (marker == null) return
  for (let from = marker.offset + 1; ; ) {
    const late = await log.sealing.outdated(space, 'utterances', new Map([[partition, from]]))
    const last = late.at(-1)
    if (last === undefined) return
    await log.append(
      'utterances',
      late.map(({ key, value, timestamp }) => ({ key, value, timestamp })),
    )
    from = last.offset + 1
  }
}

/**
 * Appends again, under the newest key, the requests of the space that wait for this forgetting: they are sealed with
 * the key that it destroys.
 */
async function keepRequests({ id, tenant, space }: ForgettingState, host: Host): Promise<void> {
  const key = spaceKey(tenant, space)
  const from = new Map([[partitionOf(key, host.partitions), 0]])
  const late = (await host.log.sealing?.outdated(key, forgettingsTopic, from)) ?? []
  const events = await Promise.all(late.map(({ value }) => host.codec.decodeOwn(value)))
  const waiting = events.filter((event) => event?.type === 'ForgettingRequested').filter((event) => event.id !== id)
  await appendForgettingEvents(waiting, host)
}

function requestOf({ id, request }: ForgettingState): Forgetting {
  if (request === null) throw new Error(`the request of forgetting ${id} is gone before its end`)
  return request
}

/** Waits for the stages and views. False: the signal aborted. */
async function hasPassed({ status }: ForgettingState, { passage, onProgress, signal }: JobOptions): Promise<boolean> {
  while (!signal.aborted) {
    const waitingFor = await passage.behind()
    if (waitingFor.length === 0) return true
    onProgress(status, waitingFor)
    await sleep(pollMs, undefined, { signal }).catch(() => {})
  }
  return false
}

/** Durable before the first record is destroyed: afterwards they can't be listed. */
async function list(state: ForgettingState, host: Host): Promise<void> {
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

/**
 * Ends only when a log that erases has no void record any more, since a process that was slow may have written one
 * meanwhile. A generation that is started after the list may have read these records, and writes its outputs
 * before its marker: so its passage comes before the last look. The erasure begins without a look: a process may have
 * died between the erasure of the records and the end of their keys.
 */
async function destroy(state: ForgettingState, host: Host, options: JobOptions): Promise<void> {
  // With its request the keys are gone, so nothing reads the records any more.
  const canPassAgain = !host.log.erasesRecords && state.request !== null
  if (canPassAgain && (await options.passage.behind()).length > 0) return passAgain(state, host)
  const space = spaceKey(state.tenant, state.space)
  let { records } = await inventoryOf(state, host)
  do {
    await withoutAuditedIds(state, records, host)
    await host.completions.forgetAnswers(space, offsetsIn('completions', records))
    await forgetIds(space, host)
    await host.log.erase(records.map(({ position }) => position))
    crashPoint('forget.after-erase')
    await keepLateAppends(space, host)
    await keepRequests(state, host)
    await host.log.sealing?.destroyRetired(space)
    if (!(await hasPassed(state, options))) return
    records = (await inventoryOf(state, host)).records
  } while (host.log.erasesRecords && records.length > 0)
  // Other processes do so when they read the next record; in this one it precedes the certificate.
  forgetTexts()
  await advance(state, 'destroyed', host, {})
}

/** The intake's index forgets ids once a writer reads the marker. There may be none for long. */
async function forgetIds(space: string, host: Host): Promise<void> {
  const marker = (await readEras(space, host)).at(-1)?.marker
  const file = new ContentFile({ dir: host.config.dir, sealing: host.sealing, onRebuild: host.notify })
  file.forget(space, marker?.offset ?? 0)
  file.close()
}

function offsetsIn(topic: string, records: Inventory['records']): readonly number[] {
  return records.flatMap(({ position }) => (position.topic === topic ? [position.offset] : []))
}

async function certify(state: ForgettingState, host: Host): Promise<void> {
  crashPoint('forget.before-certificate')
  const { privateKey, publicKey } = signingKey(host.config.dir)
  const signature = signatureOf(certificateOf(state, publicKey), privateKey)
  await advance(state, 'certified', host, { publicKey, signature })
}

type StatusFields = Partial<Pick<ForgettingStatusChanged, 'kept' | 'markers' | 'principal' | 'publicKey' | 'signature'>>

async function advance(
  state: ForgettingState,
  status: ForgettingStatus,
  host: Pick<Host, 'log' | 'codec' | 'partitions'>,
  fields: StatusFields,
): Promise<void> {
  await appendForgettingEvents([statusEvent(state, status, fields)], host)
}

export function statusEvent(
  state: Pick<ForgettingState, 'id' | 'tenant' | 'space'>,
  status: ForgettingStatus,
  fields: StatusFields,
): ForgettingStatusChanged {
  const none = { markers: 0, kept: 0, principal: null, publicKey: null, signature: null, keyId: null }
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
