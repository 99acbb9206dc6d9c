/** The options of a list, checked as the API checks them. */
import type { ListOptions } from '@loomlog/client/memory'
import { optionFields } from '@loomlog/client/option-fields'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import type { MemoryList } from '@loomlog/gateway/memory-rows'

const maxItems = 500

/** @throws LoomlogError `input-invalid` */
export function listRequestFrom(options: ListOptions): MemoryList {
  refuseUnknownFields(options, optionFields.list)
  const { kind, conversation, state = 'current', order = 'oldest', limit = 100, cursor } = options
  if (typeof kind !== 'string') throw invalidInput('kind', kind, 'the kind of the memories')
  if (state !== 'current' && state !== 'all') throw invalidInput('state', state, 'current or all')
  if (order !== 'oldest' && order !== 'newest') throw invalidInput('order', order, 'oldest or newest')
  if (!Number.isInteger(limit) || limit < 1 || limit > maxItems)
    throw invalidInput('limit', limit, `a whole number from 1 to ${maxItems}`)
  if (conversation !== undefined && typeof conversation !== 'string')
    throw invalidInput('conversation', conversation, 'the name of a conversation')
  return {
    kind,
    state,
    order,
    limit,
    ...(conversation !== undefined && { conversation }),
    ...(cursor !== undefined && { cursor }),
  }
}
