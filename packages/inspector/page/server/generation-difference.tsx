/** The differences of two generations, side by side. */
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
}

interface OfDifference {
  readonly before: string
  readonly after: string
  readonly session: Session
}

const mostChanges = 200

export function Difference({ before, after, session }: OfDifference) {
  const reply = useReply(
    () => session.client.post<Comparison>('/v1/generations/compare', { before, after, limit: mostChanges }),
    [session, before, after],
  )
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the differences" />
  const { changes, counts, leftOut } = reply.value
  const same = Object.values(counts).reduce((sum, of) => sum + (of['same'] ?? 0), 0)
  return (
    <>
      <p className="about">
        {plural(changes.length + leftOut, 'difference')}; {plural(same, 'part is', 'parts are')} the same.
      </p>
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
