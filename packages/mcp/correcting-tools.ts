/**
 * The tools that change the memory: `correct`, and for a named author `forget`, which has a person's authority. The log
 * keeps the messages.
 */
import type { MemorySpace } from '@loomlog/client/memory'
import { oneLine } from '@loomlog/schemas/one-line'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { textResult } from './text-result.ts'

/** Messages that the reply of `forget` shows. */
const mostShown = 50
const reason = z.string().optional().describe('The reason, in words')

export function addCorrectingTools(server: McpServer, space: MemorySpace, author: string | undefined): void {
  const origin =
    author === undefined ? ({ by: 'agent', role: 'agent' } as const) : ({ by: author, role: 'human' } as const)

  server.registerTool(
    'correct',
    {
      title: 'Correct',
      description:
        'Change one fact or entry: replace its words, pin it as right, or retract it. Use it when a person says that a memory is wrong. The correction survives every later derivation.',
      inputSchema: z.strictObject({
        action: z.enum(['replace', 'pin', 'retract']),
        id: z.string().describe('The id of the fact or entry, from recall or browse'),
        text: z.string().optional().describe('The right words, with replace'),
        from: z.string().optional().describe('With replace: since when the text holds. Default: the memory never held'),
        reason,
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ id, ...correction }, { mcpReq: { signal } }) => {
      const { corrections } = await space.correct({ ...correction, ...origin, memory: id }, { signal })
      const changed = corrections.map(({ target, text }) => `- ${oneLine(text ?? target?.text ?? '')}`)
      const note = author === undefined ? [`An agent's correction leaves the statements of people as they are.`] : []
      return textResult([`The correction (${correction.action}) is in the log:`, ...changed, ...note])
    },
  )

  if (author === undefined) return
  server.registerTool(
    'forget',
    {
      title: 'Forget',
      description:
        'Retract every memory with a given origin: messages, a speaker, a conversation or a time; several are combined with AND. Use it only when a person asks for it, and show them the dry run first. For one memory use correct with retract.',
      inputSchema: z.strictObject({
        utterances: z.array(z.string()).min(1).max(1_000).optional().describe('Ids of messages'),
        speaker: z.string().optional(),
        conversation: z.string().optional(),
        from: z.string().optional().describe('From this time on: a day, or ISO 8601 with a time zone'),
        to: z.string().optional().describe('Before this time'),
        dryRun: z.boolean().default(true).describe('Only list what would be retracted'),
        reason,
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async (retraction, { mcpReq: { signal } }) => {
      const { dryRun, utterances } = await space.retract({ ...retraction, ...origin }, { signal })
      const shown = utterances.slice(0, mostShown).map(({ id, text }) => `- [${id}] ${oneLine(text)}`)
      const more = utterances.length > mostShown ? [`and ${utterances.length - mostShown} more messages`] : []
      const done = dryRun
        ? 'Would be retracted, with everything derived from it:'
        : 'Retracted, with everything derived from it:'
      return textResult([utterances.length === 0 ? 'Nothing has this origin.' : done, ...shown, ...more])
    },
  )
}
