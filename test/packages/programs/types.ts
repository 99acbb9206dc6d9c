/** The declarations of both packages, as a strict application compiles them. */
import { connect } from '@loomlog/client'
import { type Memory, openMemory } from 'loomlog'

/** @public */
export const memories: readonly [Promise<Memory>, ReturnType<typeof connect>] = [
  openMemory({ dir: './memory' }),
  connect({ url: 'http://127.0.0.1:7070' }),
]
/** @public */
// @ts-expect-error a folder is needed: the types are not `any`
export const refused = openMemory({})
