/** Sealed boxes. A box is found by its topic, its keywords and its lines, and by the mean of its lines' vectors. */
import { utteranceText } from '@loomlog/schemas/utterance-text'
import { topicSpec } from '@loomlog/topics/catalogue'
import { json, number, text, texts } from '../column.ts'
import { derivedRow, edit, put, retire, speakerColumns } from '../projection.ts'
import type { Row, StoredRow } from '../row.ts'
import { defineTable } from '../table.ts'

type Line = {
  readonly id: string
  readonly seq: number
  readonly speaker: string
  readonly at: number
  /** Length of the line in the row's text. */
  readonly chars: number
}

const columns = {
  topic: text(),
  keywords: texts(),
  cut: text(),
  startedAt: number,
  endedAt: number,
  lines: json<readonly Line[]>([]),
}

type BoxRow = Row<typeof columns>

export const boxes = defineTable({
  name: 'boxes',
  topic: topicSpec('topic-shifts'),
  columns,
  projections: {
    BoxSealed(event, record) {
      const { topic, keywords, cut, startedAt, endedAt, conversation, utterances } = event
      const texts = utterances.map((said) => `${said.speaker}: ${utteranceText(said)}`)
      const row = {
        ...derivedRow(event, record),
        ...speakerColumns(...utterances.map(({ speaker }) => speaker)),
        conversation,
        text: head({ topic, keywords }) + texts.join('\n'),
        sources: utterances.map(({ id }) => id),
        at: startedAt,
        topic,
        keywords,
        cut,
        startedAt,
        endedAt,
        lines: utterances.map(({ id, seq, speaker, at }, n) => ({
          id,
          seq,
          speaker,
          at,
          chars: texts[n]?.length ?? 0,
        })),
      }
      return [put(row, utterances.map(utteranceText))]
    },
    LinesRetracted(event, record) {
      if (event.left === 0) return [retire(event.box, event, record)]
      const retracted = new Set(event.utterances)
      return [edit<BoxRow>(event.box, event, record, (row) => withoutLines(row, retracted))]
    },
  },
  kinds: ['box'],
  isSearchedByTools: false,
  evidenceText({ topic, text }) {
    const [, , ...lines] = text.split('\n')
    return `[${topic}]\n${lines.join('\n')}`
  },
  toolLabel: () => 'box',
  lineageLine: ({ topic }) => ({ label: 'box', text: topic }),
  // The box's own utterances, and not the cause in its lineage, which is the event that sealed it.
  causes: ({ sources }) => sources,
  evidence: { cited: ({ sources }) => sources },
  partsIn: null,
  correctInstead: 'a box, which holds utterances: correct a fact or an event derived from it, or undo the utterances',
})

/** The text before a box's lines. */
function head({ topic, keywords }: Pick<BoxRow, 'topic' | 'keywords'>): string {
  return `${topic}\n${keywords.join(' ')}\n`
}

/**
 * Keywords that no remaining line says are removed. A topic with such a word is replaced by the keywords. The vector, a
 * mean of all lines, is removed.
 */
function withoutLines(row: StoredRow<BoxRow>, retracted: ReadonlySet<string>) {
  let from = head(row).length
  const all = row.lines.map((line) => {
    const text = row.text.slice(from, from + line.chars)
    from += line.chars + 1
    return { line, text }
  })
  const left = all.filter(({ line }) => !retracted.has(line.id))
  const words = left.map(({ text }) => text).join('\n')
  const isSaid = (word: string) => words.toLowerCase().includes(word.toLowerCase())
  const keywords = row.keywords.filter(isSaid)
  const topic = row.topic.split(/[^\p{L}\p{N}]+/u).every(isSaid) ? row.topic : keywords.join(', ')
  const lines = left.map(({ line }) => line)
  return {
    ...speakerColumns(...lines.map(({ speaker }) => speaker)),
    topic,
    keywords,
    lines,
    sources: lines.map(({ id }) => id),
    vector: null,
    text: head({ topic, keywords }) + words,
  }
}
