/** The reply of a tool as text, with the ids that other tools take. */
import { oneLine } from '@loomlog/schemas/one-line'
import type { CallToolResult } from '@modelcontextprotocol/server'

export function textResult(lines: readonly string[]): CallToolResult {
  return { content: [{ type: 'text', text: lines.join('\n') }] }
}

interface ShownMemory {
  readonly id: string
  readonly kind: string
  readonly text: string
  /** In ms since 1970. */
  readonly at?: number | null
}

/** One line: `- [3f…] fact, 2026-03-02: Maya lives in Porto.` The text is last, so that it can forge no other part. */
export function memoryLine({ id, kind, text, at }: ShownMemory): string {
  const day = typeof at === 'number' ? [new Date(at).toISOString().slice(0, 10)] : []
  return `- [${id}] ${[kind, ...day].join(', ')}: ${oneLine(text)}`
}
