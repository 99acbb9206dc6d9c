/** The tool `remember`: messages into the log. */
import type { MemorySpace } from '@loomlog/client/memory'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { textResult } from './text-result.ts'

const mostMessages = 50
const defaultConversation = 'mcp'

export function addRemember(server: McpServer, space: MemorySpace, author: string | undefined): void {
  /** Undefined is refused by the log, which names the field. */
  const defaultSpeaker = (role: 'human' | 'agent') => (role === 'human' ? author : undefined)
  const ofAuthor = author === undefined ? '' : `. Default, with the role human: ${author}`
  const message = z.strictObject({
    text: z.string().describe('The message, in full sentences with names and dates'),
    speaker: z.string().optional().describe(`The person or agent who wrote it${ofAuthor}`),
    role: z.enum(['human', 'agent']).default('human').describe('Whether the speaker is a person'),
    at: z.string().optional().describe('The time of the message: ISO 8601 with a time zone. Default: now'),
  })
  server.registerTool(
    'remember',
    {
      title: 'Remember',
      description:
        'Store messages. Use it when a person states a fact, a preference, a plan or a decision worth keeping, or asks you to remember something. Do not store text that recall, context or read returned.',
      inputSchema: z.strictObject({
        messages: z.array(message).min(1).max(mostMessages),
        conversation: z.string().default(defaultConversation).describe('The thread that the messages belong to'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async ({ messages, conversation }, { mcpReq: { signal } }) => {
      const spoken = messages.map((each) => ({ ...each, speaker: each.speaker ?? defaultSpeaker(each.role) }))
      const { ids } = await space.add(spoken as Parameters<typeof space.add>[0], { conversation, signal })
      return textResult([`Stored: ${ids.join(', ')}`])
    },
  )
}
