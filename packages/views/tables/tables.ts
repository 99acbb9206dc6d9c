/**
 * The list of view tables, a cause before its effects. Everything that goes through tables goes through this list: the
 * materializer, recall's kinds, the tools, `why`, `impact`, undo, the dump and `verify`.
 */
import { boxes } from './boxes.ts'
import { documents } from './documents.ts'
import { entries } from './entries.ts'
import { facts } from './facts.ts'
import { links } from './links.ts'
import { utterances } from './utterances.ts'

export const tables = [utterances, boxes, facts, links, entries, documents] as const

/** The kinds of memory that recall searches. */
export type Kind = (typeof tables)[number]['kinds'][number]
export const kinds: readonly Kind[] = tables.flatMap((table): readonly Kind[] => table.kinds)
