/** The tenant and the space of a request, as an address and as the key of records. */
import { checkedAddress, type SpaceAddress } from '@loomlog/intake/utterance'
import { spaceKey } from '@loomlog/schemas/ids'
import type { FastifyRequest } from 'fastify'
import { tenantOf } from './access/route-access.ts'

type InSpace = FastifyRequest<{ Params: { space: string } }>

/** @throws LoomlogError `input-invalid`: a slash would let one key name two spaces */
export function addressOf(request: InSpace): SpaceAddress {
  return checkedAddress({ tenant: tenantOf(request), space: request.params.space })
}

export function spaceKeyOf(request: InSpace): string {
  const { tenant, space } = addressOf(request)
  return spaceKey(tenant, space)
}
