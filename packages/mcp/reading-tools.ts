/** The tools that read: `recall`, `context`, `why`, `browse` and `read`. */
import type { MemorySpace } from '@loomlog/client/memory'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { incompleteness } from './incompleteness.ts'
import { memoryLine, textResult } from './text-result.ts'

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const kinds = ['utterance', 'box', 'fact', 'event', 'link', 'entry', 'document', 'profile'] as const
const id = z.string().describe('The id of a memory, from recall, browse or why')

export function addReadingTools(server: McpServer, space: MemorySpace): void {
  server.registerTool(
    'recall',
    {
      title: 'Recall',
      description:
        'Find memories that answer a question, best first, with their ids. Use it before you answer about something from earlier conversations.',
      inputSchema: z.strictObject({
        question: z.string().describe('The question in full, with names'),
        limit: z.int().min(1).max(50).default(10),
        speaker: z.string().optional().describe('Only what this person said'),
        trueAt: z
          .string()
          .optional()
          .describe('Memories that were true at this time: a day, or ISO 8601 with a time zone'),
      }),
      annotations,
    },
    async ({ question, ...options }, { mcpReq: { signal } }) => {
      const recalled = await space.recall(question, { ...options, signal })
      const { memories, text, notices = [] } = recalled
      const ids = memories.map(({ id, kind }, at) => `${at + 1} [${id}] ${kind}`)
      const found = memories.length === 0 ? ['Nothing found.'] : [text, 'Ids, by number:', ...ids]
      return textResult([...found, ...notices, ...incompleteness(recalled)])
    },
  )

  server.registerTool(
    'context',
    {
      title: 'Context',
      description:
        'Get the text to have in mind before answering: standing instructions, what holds now, and evidence, within a budget of tokens. Use it at the start of a conversation, or for an overview of a person or subject.',
      inputSchema: z.strictObject({
        question: z.string().optional().describe('The subject of the answer. Default: the newest memories'),
        budget: z.int().min(100).max(8_000).default(1_000).describe('Tokens'),
      }),
      annotations,
    },
    async ({ question, budget }, { mcpReq: { signal } }) => {
      const { text } = await space.context(question, { budget, signal })
      return textResult([text === '' ? 'The memory is empty.' : text])
    },
  )

  server.registerTool(
    'why',
    {
      title: 'Why',
      description:
        'Show the sources of a memory, down to the messages. Use it to check a memory before you rely on it.',
      inputSchema: z.strictObject({ id }),
      annotations,
    },
    async ({ id }, { mcpReq: { signal } }) => {
      const { causes, ...memory } = await space.why(id, { signal })
      const made = memory.method === null ? 'It was said.' : `Derived by ${memory.method} from:`
      return textResult([memoryLine(memory), made, ...causes.flatMap(causeLines)])
    },
  )

  server.registerTool(
    'browse',
    {
      title: 'Browse',
      description:
        'List the memories of one kind, page by page. Use it to see what the memory holds without a question.',
      inputSchema: z.strictObject({
        kind: z
          .enum(kinds)
          .describe('document: pages on subjects and people; fact: single statements; utterance: messages'),
        limit: z.int().min(1).max(100).default(20),
        cursor: z.string().optional().describe('From the reply of the page before'),
      }),
      annotations,
    },
    async (asked, { mcpReq: { signal } }) => {
      const { memories, next } = await space.list({ ...asked, signal })
      const lines = memories.length === 0 ? ['Nothing found.'] : memories.map(memoryLine)
      return textResult([...lines, ...(next === null ? [] : [`next cursor: ${next}`])])
    },
  )

  server.registerTool(
    'read',
    {
      title: 'Read',
      description:
        'Read a document or profile whole, as Markdown. Use it for everything known about one subject or person.',
      inputSchema: z.strictObject({ id: z.string().describe('The id of a document or profile, from browse') }),
      annotations,
    },
    async ({ id }, { mcpReq: { signal } }) => textResult([(await space.document(id, { signal })).text]),
  )
}

type Cause = Awaited<ReturnType<MemorySpace['why']>>['causes'][number]

/** The causes below each other, indented by their distance. */
function causeLines({ causes, ...memory }: Cause): readonly string[] {
  return [memoryLine(memory), ...causes.flatMap(causeLines)].map((line) => `  ${line}`)
}
