/** The parameters of a request for evidence, checked one by one. */
import { LoomlogError } from '@loomlog/errors'
import { type Kind, kinds } from '@loomlog/recall/memory'
import type { RecallRequest } from '@loomlog/recall/request'

const parameters = ['query', 'limit', 'kind']

/** @throws LoomlogError `input-invalid`, with the parameter */
export function recallRequestFrom(given: unknown, space: string): RecallRequest {
  const asked = given as { readonly [name: string]: string | readonly string[] | undefined }
  for (const name of Object.keys(asked)) {
    if (!parameters.includes(name)) {
      throw new LoomlogError(
        'input-invalid',
        `there is no parameter ${name}: expected some of ${parameters.join(', ')}`,
      )
    }
  }
  const { query = '', limit, kind } = asked
  if (typeof query !== 'string') throw new LoomlogError('input-invalid', 'query is given more than once: expected one')
  return {
    space,
    query,
    ...(limit !== undefined && { limit: wholeNumber(limit) }),
    ...(kind !== undefined && { kinds: [kind].flat().map(kindFrom) }),
  }
}

function wholeNumber(text: string | readonly string[]): number {
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text)
  throw new LoomlogError('input-invalid', `limit is ${JSON.stringify(text)}: expected a whole number`)
}

function kindFrom(text: string): Kind {
  const kind = kinds.find((known) => known === text)
  if (kind) return kind
  throw new LoomlogError('input-invalid', `kind is ${JSON.stringify(text)}: expected some of ${kinds.join(', ')}`)
}
