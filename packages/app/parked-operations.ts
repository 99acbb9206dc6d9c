/**
 * The parked inputs of a tenant, for callers that see one tenant only, or of all. Those of a space in which a
 * forgetting is under way are not there: a retry of them would be void.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import type { InputParked } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { type ParkedInput, parkedById, readParked, retryParked, withoutBytes } from './parked.ts'

export interface ParkedDetails extends ParkedInput {
  /** The bytes of the input, as base64. */
  readonly value: string
  /** The decoded record; null: it is undecodable. */
  readonly event: object | null
}

export interface ParkedRetry {
  /** The id of the event. */
  readonly retry: string
  readonly attempt: number
  readonly stage: string
  /** The position after the event, as PARTITION@OFFSET. */
  readonly position: string
}

/** The tenant is null for the inputs of all. */
export interface ParkedOperations {
  list(tenant: string | null): Promise<readonly ParkedInput[]>
  details(id: string, tenant: string | null): Promise<ParkedDetails>
  retry(id: string, tenant: string | null, by: string): Promise<ParkedRetry>
}

export function parkedOperations(host: Host): ParkedOperations {
  async function own(id: string, tenant: string | null): Promise<InputParked> {
    const input = await parkedById(id, host)
    const isSeen = tenant === null || input.tenant === tenant
    if (isSeen && !(await isBeingForgotten(input, host))) return input
    throw new LoomlogError('not-found', `there is no parked input ${id}: loomlog parked list shows them`)
  }
  return {
    async list(tenant) {
      const seen = (await readParked(host)).filter((input) => tenant === null || input.tenant === tenant)
      const isVoid = await Promise.all(seen.map((input) => isBeingForgotten(input, host)))
      return seen.filter((_, at) => !isVoid[at])
    },
    details: async (id, tenant) => detailsOf(await own(id, tenant), host),
    async retry(id, tenant, by) {
      await own(id, tenant)
      const { retry, stage, position } = await retryParked(id, by, host)
      return { retry: retry.id, attempt: retry.attempt, stage, position }
    },
  }
}

async function isBeingForgotten(
  { tenant, space }: Pick<InputParked, 'tenant' | 'space'>,
  { pendingForgettings }: Pick<Host, 'pendingForgettings'>,
): Promise<boolean> {
  return tenant !== null && space !== null && pendingForgettings.isUnderWay(spaceKey(tenant, space))
}

async function detailsOf(input: InputParked, { codec }: Pick<Host, 'codec'>): Promise<ParkedDetails> {
  const bytes = Buffer.from(input.value)
  return { ...withoutBytes(input), value: bytes.toString('base64'), event: await codec.decodeOrNull(bytes) }
}
