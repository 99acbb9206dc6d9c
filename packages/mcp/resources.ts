/** Documents and profiles as resources: `loomlog:///documents/ID`, Markdown. The list has pages. */

import type { MemorySpace } from '@loomlog/client/memory'
import { isLoomlogError } from '@loomlog/errors'
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'

const markdown = 'text/markdown'
const prefix = 'loomlog:///documents/'
const pageSize = 50

export function addDocumentResources(server: McpServer, space: MemorySpace): void {
  server.registerResource(
    'document',
    new ResourceTemplate(`${prefix}{id}`, { list: undefined }),
    { title: 'Document or profile', description: 'All that is known about a subject or a person', mimeType: markdown },
    async (uri, { id }, { mcpReq: { signal } }) => {
      const { text } = await space.document(decoded(String(id), uri), { signal }).catch((error) => {
        throw isLoomlogError(error, 'not-found') ? new ResourceNotFoundError(uri.href) : error
      })
      return { contents: [{ uri: uri.href, mimeType: markdown, text }] }
    },
  )
  // In place of the handler above, whose list has no pages.
  server.server.setRequestHandler('resources/list', async ({ params: { cursor } = {} }, { mcpReq: { signal } }) => {
    const { memories, next } = await space.list({ kind: 'document', limit: pageSize, cursor, signal })
    return {
      resources: memories.map(({ id, text }) => ({
        uri: `${prefix}${encodeURIComponent(id)}`,
        name: text.split('\n', 1)[0] ?? id,
        mimeType: markdown,
      })),
      ...(next !== null && { nextCursor: next }),
    }
  })
}

function decoded(id: string, { href }: URL): string {
  try {
    return decodeURIComponent(id)
  } catch {
    throw new ResourceNotFoundError(href)
  }
}
