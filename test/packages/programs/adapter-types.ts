/** The declarations of the adapters beside those of their frameworks, which need their own types left unchecked. */
import { memoryMiddleware } from '@loomlog/adapters/ai'
import { memoryStore } from '@loomlog/adapters/langgraph'
import { openMemory } from 'loomlog'

const memory = await openMemory({ dir: './memory' })
const space = memory.space('maya')
/** @public */
export const adapters = [memoryMiddleware({ space, conversation: 'chat-7' }), memoryStore({ space })]
/** @public */
// @ts-expect-error a space is needed: the types are not `any`
export const refused = memoryStore({})
