/** The forgettings of a space: previews, requests, and how far each is. A worker carries them out. */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { signedCertificate } from '@loomlog/forgetting/certificate'
import { divide } from '@loomlog/forgetting/divide'
import { appendForgettingEvents, type Forgetting, readForgettings, requestEvent } from '@loomlog/forgetting/forgettings'
import { type Preview, previewOf } from '@loomlog/forgetting/preview'
import type { ForgettingRequest, Selection } from '@loomlog/forgetting/selection'
import { readEras } from '@loomlog/forgetting/space-history'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { isRunning } from '@loomlog/host/hosting'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { crashPoint } from '@loomlog/log/crash-points'
import type { ForgettingStatus } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ViewReader } from '@loomlog/views/reader'
import { statusEvent } from './job.ts'

export interface ForgettingReply extends Preview {
  /** Nothing is changed. */
  readonly preview: boolean
  /** Null: a preview, or nothing to forget. A repetition has the id of the request that is not carried out yet. */
  readonly id: string | null
}

export interface ForgettingDetails {
  readonly id: string
  readonly status: ForgettingStatus
  /** Null: not certified yet. */
  readonly certificate: { readonly [field: string]: unknown } | null
}

export type ForgettingHost = Pick<Host, 'log' | 'codec' | 'partitions' | 'topics'>

export interface RequestedForgetting extends SpaceAddress {
  readonly principal: string | null
  readonly views: ViewReader
}

/** Durable on return. @throws LoomlogError `generation-refused`: a derivation would keep what is to be forgotten */
export async function requestForgetting(
  { selection, by, preview }: ForgettingRequest,
  { tenant, space: name, principal, views }: RequestedForgetting,
  host: ForgettingHost,
): Promise<ForgettingReply> {
  const space = spaceKey(tenant, name)
  const eras = await readEras(space, host)
  const division = divide(eras.at(-1)?.events ?? [], selection)
  const found = await previewOf(division, selection, { space, views })
  if (preview) return { ...found, preview, id: null }
  const pending = await pendingLike(space, selection, host)
  const isRewritten = eras.some(({ marker }) => marker?.forgetting === pending)
  const isNothing = division.forgotten.every(({ type }) => type === 'RetryRequested')
  if (isNothing || (pending !== null && !isRewritten)) return { ...found, preview, id: pending }
  const id = await appendRequest({ tenant, space: name, selection, by, principal }, host)
  return { ...found, preview, id }
}

/** The id of the forgetting, which is durable on return. @throws LoomlogError as `requestForgetting` */
export async function appendRequest(request: Omit<Forgetting, 'id' | 'at'>, host: ForgettingHost): Promise<string> {
  checkForgets(host.log)
  await refuseStandingDerivations(host)
  const id = randomBytes(16).toString('hex')
  const forgetting = { id, ...request, at: Date.now() }
  await appendForgettingEvents([requestEvent(forgetting), statusEvent(forgetting, 'requested', {})], host)
  crashPoint('forget.after-request')
  return id
}

/** @throws LoomlogError `config-invalid` for a log that can destroy neither records nor their keys */
export function checkForgets(log: Pick<Host['log'], 'erasesRecords' | 'sealing'>): void {
  if (log.erasesRecords || log.sealing !== null) return
  throw new LoomlogError(
    'config-invalid',
    'a log on Kafka that is not encrypted keeps its records: nothing is forgotten',
  )
}

/** @throws LoomlogError `not-found` */
export async function readForgetting(
  id: string,
  { tenant, space }: SpaceAddress,
  host: ForgettingHost,
): Promise<ForgettingDetails> {
  const state = (await readForgettings(spaceKey(tenant, space), host)).find((each) => each.id === id)
  if (state === undefined)
    throw new LoomlogError('not-found', `there is no forgetting ${id} in ${spaceKey(tenant, space)}`)
  return { id, status: state.status, certificate: signedCertificate(state) as ForgettingDetails['certificate'] }
}

/**
 * The forgetting that is requested with the same selection. Until its marker is in the log, it covers everything: so a
 * request that is sent again, since its reply was lost, is one forgetting.
 */
async function pendingLike(space: string, selection: Selection, host: ForgettingHost): Promise<string | null> {
  const same = (await readForgettings(space, host)).findLast(
    ({ status, request }) =>
      status !== 'certified' && request !== null && isDeepStrictEqual(request.selection, selection),
  )
  return same?.id ?? null
}

/** A stage that stands still never passes the marker, and its output would stay. */
async function refuseStandingDerivations({ log, codec, topics }: ForgettingHost): Promise<void> {
  const known = await readGenerations(log, codec)
  const existing = new Set((await log.topics()).map(({ name }) => name))
  const outputs = (generation: Parameters<typeof servingGeneration>[0]) =>
    servingGeneration(generation, topics).stages.map(({ writes }) => writes)
  const all = [...known.generations.values()]
  const running = new Set(all.filter(isRunning).flatMap(outputs))
  for (const generation of all.filter((each) => !isRunning(each))) {
    const kept = outputs(generation).find((topic) => existing.has(topic) && !running.has(topic))
    if (kept === undefined) continue
    const { id, status } = generation
    const way = status === 'retired' || status === 'removing' ? 'remove it' : 'start it, or retire and remove it'
    const message = `generation ${id} is ${status} and keeps memories, in ${kept}: ${way} before anything can be forgotten`
    throw new LoomlogError('generation-refused', `${message} (loomlog generation remove ${id})`)
  }
}

export function forgettingOperations(host: ForgettingHost) {
  return {
    request: (request: ForgettingRequest, origin: RequestedForgetting) => requestForgetting(request, origin, host),
    read: (id: string, address: SpaceAddress) => readForgetting(id, address, host),
  }
}
