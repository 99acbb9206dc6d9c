/** Derived statements with their verdicts, for the measures `facts` and `state`. */
import type { CorpusConversation, MarkedMessage } from './conversation.ts'
import { judge, type Verdict } from './verdict.ts'

export interface JudgedStatement {
  readonly text: string
  /** Ids of the messages that it cites. */
  readonly sources: readonly string[]
  readonly verdict: Verdict
}

export function judgeStatement(
  text: string,
  sources: readonly string[],
  { messages }: CorpusConversation,
): JudgedStatement {
  const cited = messages.filter(({ id }) => sources.includes(id))
  return { text, sources, verdict: judge(text, cited) }
}

export function verdictFigures(of: readonly JudgedStatement[]) {
  const count = (wanted: Verdict) => of.filter(({ verdict }) => verdict === wanted).length
  return { right: count('right'), wrong: count('wrong'), useless: count('useless'), unjudged: count('unjudged') }
}

/** The statement, and below it the messages that it cites. */
export function statementLines(
  { text, sources, verdict }: JudgedStatement,
  notes: readonly string[],
  messages: readonly MarkedMessage[],
): readonly string[] {
  const cited = messages.filter(({ id }) => sources.includes(id))
  return [
    `${[verdict, ...notes].join(' ').padEnd(9)} ${text}`,
    ...cited.map(
      ({ id, at, speaker, text }) => `    ${id} ${at.slice(0, 10)} ${speaker}: ${text.replace(/\s+/g, ' ')}`,
    ),
  ]
}
