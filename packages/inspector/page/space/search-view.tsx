/** A search, explained: every candidate with its score, its outcome, and the share of each feature. */
import type { Candidate, RecallReply } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { useRef, useState } from 'react'
import { spaceLink, whyLink } from '../page-places.ts'
import { Empty, Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { plural } from '../parts/words.ts'
import { QuestionForm } from './question-form.tsx'
import { useSpace } from './use-space.tsx'

export function SearchView({ question }: { readonly question: string | null }) {
  const { space } = useSpace()
  const limit = useRef<HTMLSelectElement>(null)
  const [shown, setShown] = useState(10)
  return (
    <div className="page">
      <QuestionForm
        label="Search"
        example="Where does Maya live?"
        question={question}
        onQuestion={(given) => {
          setShown(Number(limit.current?.value ?? 10))
          location.hash = spaceLink(space, 'search', given)
        }}
      >
        <label>
          Memories
          <select ref={limit} defaultValue="10">
            {[5, 10, 25, 50].map((count) => (
              <option key={count}>{count}</option>
            ))}
          </select>
        </label>
      </QuestionForm>
      {question === null ? (
        <Empty title="A search, explained" code={lines(space)}>
          Every candidate, with the share of each feature in its score. In code:
        </Empty>
      ) : (
        <Candidates question={question} limit={shown} />
      )}
    </div>
  )
}

const lines = (space: string) => `const question = 'Where does Maya live?'
const { candidates } = await memory.space('${space}').recall(question, { explain: true })
for (const { score, text } of candidates) console.log(score, text)`

function Candidates({ question, limit }: { readonly question: string; readonly limit: number }) {
  const { space, session } = useSpace()
  const reply = useReply(
    (signal) => {
      const body = { query: question, limit, explain: true }
      return session.client.post<RecallReply>(path`/v1/spaces/${space}/recall`, body, {}, { signal })
    },
    [space, session, question, limit],
  )
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the candidates" />
  const { candidates = [], bias = 0, notices = [] } = reply.value
  if (candidates.length === 0) return <p className="hint">No memory of this space has a word or a meaning of it.</p>
  return (
    <>
      <p className="hint" role="status">
        {plural(candidates.length, 'candidate')}. A score is a probability: its log-odds are {bias.toFixed(2)} and the
        shares of its features. {notices.join(' ')}
      </p>
      <ol className="candidates">
        {candidates.map((each, at) => (
          <CandidateLine key={each.id} candidate={each} rank={at + 1} />
        ))}
      </ol>
    </>
  )
}

const outcomes: { readonly [outcome in Candidate['outcome']]: string } = {
  taken: 'taken',
  limit: 'left out: others are better',
  budget: 'left out: its tokens do not fit',
  unlikely: 'left out: unlikely to help',
}

function CandidateLine({ candidate, rank }: { readonly candidate: Candidate; readonly rank: number }) {
  const { space } = useSpace()
  const { id, kind, text, score, outcome, contributions, tokens } = candidate
  return (
    <li className={outcome === 'taken' ? 'candidate is-taken' : 'candidate'}>
      <span className="rank">{rank}</span>
      <div>
        <p>
          <a href={whyLink(space, id)}>{text}</a>
        </p>
        <p className="about">
          {kind} · {outcomes[outcome]} · {plural(tokens, 'token')}
        </p>
        <details>
          <summary>{plural(contributions.length, 'feature')}</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">Feature</th>
                <th scope="col">Part</th>
                <th scope="col" className="number">
                  Value × weight
                </th>
                <th scope="col" className="number">
                  Share
                </th>
              </tr>
            </thead>
            <tbody>
              {contributions.map(({ feature, part, value, weight, contribution }) => (
                <tr key={feature}>
                  <th scope="row">{feature}</th>
                  <td>{part}</td>
                  <td className="number">
                    {value.toFixed(2)} × {weight.toFixed(2)}
                  </td>
                  <td className="number">{contribution.toFixed(2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </div>
      <span className="score">
        {score.toFixed(2)}
        <meter aria-label="Score" min={0} max={1} value={score} />
      </span>
    </li>
  )
}
