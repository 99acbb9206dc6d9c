/** `@loomlog/client`: the memory on a server, from Node, a browser or an edge runtime. */
import { LoomlogClient, type ServerAddress } from './loomlog-client.ts'
import type { Memory } from './memory.ts'
import { serverMemory } from './server-memory.ts'

export { type ErrorCode, isLoomlogError, LoomlogError } from '@loomlog/errors'
export type * from './api.ts'
export type * from './memory.ts'

export type { ServerAddress }

/** @throws LoomlogError `input-invalid` where the address is no URL of HTTP */
export function connect(address: ServerAddress): Memory {
  const { space, events, close, [Symbol.asyncDispose]: dispose } = serverMemory(new LoomlogClient(address))
  return { space, events, close, [Symbol.asyncDispose]: dispose }
}
