/** `loomlog mcp`: one space for an MCP client that starts this process, from a folder or from a server. */
import { openMemory } from '@loomlog/app/open-memory'
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import type { Memory } from '@loomlog/client/memory'
import { serverMemory } from '@loomlog/client/server-memory'
import { version } from '@loomlog/host/version'
import { memoryServer } from '@loomlog/mcp/memory-server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { printNotice } from '../print.ts'

export interface McpRequest {
  /** Null: the memory is in the folder. */
  readonly server: LoomlogClient | null
  readonly dir: string
  readonly tenant: string
  readonly space: string
  readonly author: string | undefined
  readonly signal: AbortSignal
}

/** Returns when the client closes standard input. Standard output is the protocol's; notices go to standard error. */
export async function serveMcp({ server, dir, tenant, space, author, signal }: McpRequest): Promise<void> {
  const onNotice = (text: string) => printNotice(`loomlog: ${text}`)
  const memory: Memory = server === null ? await openMemory({ dir, tenant, onNotice }) : serverMemory(server)
  const transport = new StdioServerTransport()
  const connection = serveStdio(() => memoryServer({ memory, space, author, version }), {
    transport,
    onerror: (error) => onNotice(error.message),
  })
  await endOf(transport, signal)
  await connection.close()
  await memory.close()
  // Input that was too long is left unread, and would keep the process alive.
  process.stdin.destroy()
}

/** The end of the input, a failure of the transport, or the signal, also an earlier one. */
async function endOf(transport: StdioServerTransport, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    resolve()
  }
  process.stdin.once('close', resolve)
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  await promise
}
