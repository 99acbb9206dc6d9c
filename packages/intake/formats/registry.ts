/** The formats by name, and the recognition of one by the first value of a file. */
import { chat } from './chat.ts'
import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import { type Format, isFields } from './format.ts'
import { jsonLines } from './json-lines.ts'
import { locomo } from './locomo.ts'
import { mem0 } from './mem0.ts'
import type { FormatName } from './names.ts'
import { zep } from './zep.ts'

export const formatsByName: { readonly [name in FormatName]: Format } = {
  jsonl: jsonLines,
  chat,
  chatgpt,
  claude,
  mem0,
  zep,
  locomo,
}

/** The formats whose files begin with such a value. */
export function formatsOf(firstValue: unknown): readonly FormatName[] {
  if (!isFields(firstValue)) return []
  const names = Object.keys(formatsByName) as FormatName[]
  return names.filter((name) => formatsByName[name].isFirstValue(firstValue))
}
