/** The reply of a tool as text, with the ids that other tools take. */
import type { CallToolResult } from '@modelcontextprotocol/server'

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

interface ShownMemory {
  readonly id: string
  readonly kind: string
  readonly text: string
  /** In ms since 1970. */
  readonly at?: number | null
}

/** One line: `- Maya lives in Porto. (fact, 2026-03-02, id 3f…)`. */
export function memoryLine({ id, kind, text, at }: ShownMemory): string {
  const day = typeof at === 'number' ? [new Date(at).toISOString().slice(0, 10)] : []
  return `- ${text.replaceAll(/\s+/g, ' ')} (${[kind, ...day, `id ${id}`].join(', ')})`
}
