/** The context block of a question at a chosen budget: each line with its part, its source and its tokens. */
import type { ContextItem, ContextReply } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { useRef, useState } from 'react'
import { spaceLink, whyLink } from '../page-places.ts'
import { Cites } from '../parts/cite.tsx'
import { Empty, Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { countText, plural } from '../parts/words.ts'
import { QuestionForm } from './question-form.tsx'
import { useSpace } from './use-space.tsx'

const defaultTokens = 2_000

export function ContextView({ question }: { readonly question: string | null }) {
  const { space } = useSpace()
  const [tokens, setTokens] = useState(defaultTokens)
  const budget = useRef<HTMLInputElement>(null)
  return (
    <div className="page">
      <QuestionForm
        label="Show"
        example="Where does Maya live?"
        question={question}
        onQuestion={(given) => {
          setTokens(Number(budget.current?.value ?? defaultTokens))
          location.hash = spaceLink(space, 'context', given)
        }}
      >
        <label>
          Tokens
          <input ref={budget} type="number" min={50} max={100_000} step={50} defaultValue={defaultTokens} required />
        </label>
      </QuestionForm>
      {question === null ? (
        <Empty title="The block that an agent gets for a question" code={lines(space)}>
          It fits a budget of tokens, and each line has its source. In code:
        </Empty>
      ) : (
        <Block question={question} budget={tokens} />
      )}
    </div>
  )
}

const lines = (space: string) => `const question = 'Where does Maya live?'
const { text } = await memory.space('${space}').context(question, { budget: 2000 })
console.log(text)`

function Block({ question, budget }: { readonly question: string; readonly budget: number }) {
  const { space, session } = useSpace()
  const reply = useReply(
    (signal) => {
      const body = { query: question, budget }
      return session.client.post<ContextReply>(path`/v1/spaces/${space}/context`, body, {}, { signal })
    },
    [space, session, question, budget],
  )
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the context" />
  const { items, text, tokens } = reply.value
  return (
    <>
      <p className="budget" role="status">
        <meter aria-label="Used tokens" min={0} max={budget} value={tokens} /> {countText(tokens)} of{' '}
        {countText(budget)} tokens, {plural(items.length, 'item')}
      </p>
      <ol className="context">
        {items.map((item) => (
          <ItemLine key={item.id} item={item} />
        ))}
      </ol>
      <details>
        <summary>The text, as a model gets it</summary>
        <pre>{text}</pre>
      </details>
    </>
  )
}

const parts: { readonly [part in ContextItem['part']]: string } = {
  instruction: 'standing instruction',
  holds: 'holds now',
  timeline: 'timeline',
  evidence: 'evidence',
}

function ItemLine({ item }: { readonly item: ContextItem }) {
  const { space } = useSpace()
  const { id, part, text, sources, tokens, kind, replacedBy = [] } = item
  return (
    <li className={replacedBy.length > 0 ? 'is-outdated' : undefined}>
      <span className={`part is-${part}`}>{parts[part]}</span>
      <div>
        <p>
          <a href={whyLink(space, id)}>{text}</a>
        </p>
        <p className="about">
          {kind}
          {replacedBy.length > 0 && ' · replaced since'} · <Cites ids={sources} />
        </p>
      </div>
      <span className="number">{tokens}</span>
    </li>
  )
}
