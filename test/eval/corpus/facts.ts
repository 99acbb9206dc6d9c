/**
 * Recorded facts that are not retracted, each with a verdict by words against the marks of the messages that it cites,
 * by kind of fact. `npm run eval -- corpus facts`.
 */
import { isEvent } from '@loomlog/schemas/events'
import { messageOf } from '../evidence/message-of.ts'
import type { MarkedMessage } from './conversation.ts'
import { type JudgedStatement, judgeStatement, statementLines, verdictFigures } from './judged-statement.ts'
import type { CorpusMeasure } from './measure.ts'
import { statementsIn } from './verdict.ts'

interface ConversationFacts {
  readonly facts: readonly (JudgedStatement & { readonly kind: string })[]
  readonly messages: readonly MarkedMessage[]
}

export const factsMeasure: CorpusMeasure<ConversationFacts> = {
  name: 'facts',
  async of(conversation, { events }) {
    const retracted = new Set(events.filter((event) => isEvent('FactRetracted', event)).map(({ fact }) => fact))
    const recorded = events.filter((event) => isEvent('FactRecorded', event)).filter(({ id }) => !retracted.has(id))
    const facts = recorded.map(({ text, kind, sources }) => {
      return { kind, ...judgeStatement(text, sources.map(messageOf), conversation) }
    })
    return { facts, messages: conversation.messages }
  },
  figures(of) {
    const facts = of.flatMap((each) => each.facts)
    const kinds = Object.groupBy(facts, ({ kind }) => kind)
    const marked = of.flatMap(({ messages }) => messages.flatMap((each) => each.facts))
    return {
      facts: facts.length,
      ...verdictFigures(facts),
      marked: marked.length,
      covered: of.reduce((sum, each) => sum + covered(each), 0),
      ...Object.fromEntries(Object.entries(kinds).map(([kind, each = []]) => [`${kind}s`, each.length])),
    }
  },
  lines: ({ facts, messages }) => facts.flatMap((fact) => statementLines(fact, [fact.kind], messages)),
}

/** The marked facts that a right fact says, each once. */
function covered({ facts, messages }: ConversationFacts): number {
  const right = facts.filter(({ verdict }) => verdict === 'right')
  const said = messages.flatMap(({ id, facts: marked }) => {
    const own = right.filter(({ sources }) => sources.includes(id))
    return [...new Set(own.flatMap(({ text }) => statementsIn(text, marked)))]
  })
  return said.length
}
