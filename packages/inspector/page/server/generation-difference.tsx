/** The differences of two generations, side by side, and the recall of both on a file of questions. */
import { useState } from 'react'
import { Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { plural } from '../parts/words.ts'
import type { Session } from '../session.ts'
import { Table } from './table.tsx'

interface Side {
  readonly text: string
}

interface Comparison {
  readonly counts: { readonly [kind: string]: { readonly [what: string]: number } }
  readonly changes: readonly {
    readonly space: string
    readonly kind: string
    readonly what: string
    readonly before: Side | null
    readonly after: Side | null
  }[]
  readonly leftOut: number
  readonly questions: { readonly before: Score | null; readonly after: Score | null }
}

interface Score {
  readonly questions: number
  readonly recallAt10: number
  readonly hitAt10: number
}

interface OfDifference {
  readonly before: string
  readonly after: string
  /** Whether the generation `after` is derived to the end. */
  readonly isComplete: boolean
  readonly session: Session
}

const mostChanges = 200
const measures = [
  { name: 'Evidence in the first ten memories', of: ({ recallAt10 }: Score) => recallAt10 },
  { name: 'Questions with any evidence there', of: ({ hitAt10 }: Score) => hitAt10 },
]

export function Difference({ before, after, isComplete, session }: OfDifference) {
  const [lines, setLines] = useState<string | null>(null)
  const [asks, setAsks] = useState(0)
  const [isReading, setIsReading] = useState(true)
  // Not with each derived record: a comparison is dear.
  const reply = useReply(
    async (signal) => {
      setIsReading(true)
      try {
        const questions = lines === null ? null : questionsIn(lines)
        const body = { before, after, questions, limit: mostChanges }
        return await session.client.post<Comparison>('/v1/generations/compare', body, {}, { signal })
      } finally {
        if (!signal.aborted) setIsReading(false)
      }
    },
    [session, before, after, lines, isComplete, asks],
  )
  if (reply.state === 'waiting') return <Waiting what="the differences" />
  return (
    <>
      <p className="about">
        {!isComplete && 'The generation is not derived to the end: so far '}
        <button type="button" className="quiet" disabled={isReading} onClick={() => setAsks(asks + 1)}>
          Compare again
        </button>
      </p>
      {reply.state === 'failed' ? <Failure error={reply.error} /> : <Changes comparison={reply.value} />}
      <label>
        Recall on questions: a file with a line of JSON for each, with space, question and evidence
        <input
          type="file"
          accept=".jsonl,.ndjson,.json"
          onChange={async ({ target }) => setLines((await target.files?.[0]?.text()) ?? null)}
        />
      </label>
    </>
  )
}

/** As `loomlog generation diff --questions FILE` reads them. @throws Error that names the line */
function questionsIn(lines: string): readonly object[] {
  return lines.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    try {
      const { tenant = 'default', space, question, evidence } = JSON.parse(line)
      return [{ space: `${tenant}/${space}`, question, evidence }]
    } catch (cause) {
      throw new Error(`line ${at + 1} of the questions is no JSON: ${(cause as Error).message}`)
    }
  })
}

function Changes({ comparison }: { readonly comparison: Comparison }) {
  const { changes, counts, leftOut, questions } = comparison
  const same = Object.values(counts).reduce((sum, of) => sum + (of['same'] ?? 0), 0)
  return (
    <>
      <p className="about">
        {plural(changes.length + leftOut, 'difference')}; {plural(same, 'part is', 'parts are')} the same.
      </p>
      {questions.before !== null && questions.after !== null && (
        <Table head={[plural(questions.after.questions, 'question'), '#The live one', '#This one']}>
          {measures.map(({ name, of }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {[questions.before, questions.after].map((score, at) => (
                <td key={at === 0 ? 'before' : 'after'} className="number">
                  {score === null ? '' : of(score).toFixed(3)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      {changes.length > 0 && (
        <Table head={['Kind', 'Change', 'The live one', 'This one', 'Space']}>
          {changes.map((change, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is never reordered
            <tr key={at}>
              <th scope="row">{change.kind}</th>
              <td>{change.what}</td>
              <td>{change.before?.text}</td>
              <td>{change.after?.text}</td>
              <td>{change.space}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}
