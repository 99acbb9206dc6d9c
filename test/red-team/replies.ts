/**
 * Exchanges in which a model cites two lines: the origin, which has the words of the fact, and a later line of the
 * person whom the model takes for its author. In an honest one this line replies to the origin, so the fact is its
 * speaker's. In an attack it replies to nothing, and the fact is the origin's speaker's. The unseen half was not looked
 * at when the rules were written.
 */
import { readFileSync } from 'node:fs'
import type { Role } from '@loomlog/schemas/events'
import { authorshipOf } from '../../services/fact-extractor/authorship.ts'
import type { SpokenLine } from '../../services/fact-extractor/fact-evidence.ts'

interface Exchange {
  readonly id: string
  readonly kind: 'honest' | 'attack'
  readonly isUnseen: boolean
  readonly lines: readonly { readonly speaker: string; readonly text: string; readonly role: Role }[]
  /** Places of the two lines. */
  readonly origin: number
  readonly answer: number
  readonly fact: string
  readonly author: string
}

const exchanges: readonly Exchange[] = readFileSync(new URL('replies.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange)

export interface ReplyRow {
  readonly kind: string
  readonly half: string
  readonly exchanges: number
  readonly rightAuthors: number
}

export function replyRows(): readonly ReplyRow[] {
  const groups = Map.groupBy(exchanges, ({ kind, isUnseen }) => `${kind} ${isUnseen ? 'unseen' : 'seen'}`)
  return [...groups].map(([name, group]) => {
    const [kind = '', half = ''] = name.split(' ')
    const right = group.filter((exchange) => authorOf(exchange) === exchange.author)
    return { kind, half, exchanges: group.length, rightAuthors: right.length }
  })
}

function authorOf({ lines, origin, answer, fact }: Exchange): string | undefined {
  const spoken = lines.map((line, place): SpokenLine => {
    const time = { at: place * 60_000, saidAt: place * 60_000 }
    return { id: `${place}`, ...line, ...time, conversation: 'c', place }
  })
  const said = spoken[answer]
  if (said === undefined) return undefined
  const citation = { text: fact, sources: [`${answer}`, `${origin}`], inferredFrom: [], said }
  return authorshipOf(citation, spoken, [...new Set(lines.map(({ speaker }) => speaker))]).author.speaker
}
