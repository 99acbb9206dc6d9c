/** `loomlog context --url`: the text to put before an agent, from a server. */
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { ContextBlock } from '@loomlog/recall/context-block'
import { contextParameters } from '@loomlog/recall/parameters'
import { type ContextCommand, printContext } from '../commands/context.ts'

export async function contextFromServer(server: LoomlogClient, command: ContextCommand): Promise<void> {
  const { query, place, textParameters } = command
  const known: readonly string[] = contextParameters
  const parameters = Object.fromEntries(Object.entries(textParameters).filter(([name]) => known.includes(name)))
  const request = { ...parameters, ...(query !== undefined && { query }) }
  const reply = await server.post<ContextBlock & { readonly space: string; readonly notices?: readonly string[] }>(
    path`/v1/spaces/${place.space}/context`,
    request,
  )
  printContext(reply, command)
}
