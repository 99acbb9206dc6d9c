/**
 * Lines under "Holds now" in the contexts of a conversation: without a question, and for each of its questions. Each
 * entry counts once, with the verdict of a fact. It is stale if later messages outdate every message that it cites.
 * `npm run eval -- corpus state`.
 */
import { contextBlock } from '@loomlog/recall/context-block'
import { messageOf } from '../evidence/message-of.ts'
import type { MarkedMessage } from './conversation.ts'
import { type JudgedStatement, judgeStatement, statementLines, verdictFigures } from './judged-statement.ts'
import type { CorpusMeasure } from './measure.ts'

interface HoldingLine extends JudgedStatement {
  readonly isStale: boolean
}

interface ConversationState {
  readonly lines: readonly HoldingLine[]
  readonly messages: readonly MarkedMessage[]
}

export const stateMeasure: CorpusMeasure<ConversationState> = {
  name: 'state',
  async of(conversation, { space, memory }) {
    const { messages, questions } = conversation
    const outdated = new Set(messages.flatMap(({ changes }) => changes.flatMap(({ was }) => was)))
    const lines = new Map<string, HoldingLine>()
    for (const query of [null, ...questions.map(({ ask }) => ask)]) {
      const { items } = await contextBlock({ space, ...(query !== null && { query }) }, memory)
      for (const { id, text, sources } of items.filter(({ part }) => part === 'holds')) {
        const judged = judgeStatement(text, sources.map(messageOf), conversation)
        lines.set(id, { ...judged, isStale: judged.sources.every((source) => outdated.has(source)) })
      }
    }
    return { lines: [...lines.values()], messages }
  },
  figures(of) {
    const lines = of.flatMap((each) => each.lines)
    return { lines: lines.length, ...verdictFigures(lines), stale: lines.filter(({ isStale }) => isStale).length }
  },
  lines: ({ lines, messages }) =>
    lines.flatMap((line) => statementLines(line, line.isStale ? ['stale'] : [], messages)),
}
