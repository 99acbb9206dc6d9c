/**
 * The names of all formats. A further format is a file beside this one, a name here, and a line in registry.ts, which
 * doesn't compile without it.
 */
export const formatNames = ['jsonl', 'chat', 'chatgpt', 'claude', 'mem0', 'zep', 'locomo'] as const
export type FormatName = (typeof formatNames)[number]
