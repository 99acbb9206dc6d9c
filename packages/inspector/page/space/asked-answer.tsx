/** An answer that a memory was derived with: its model, cost, and on demand the texts of its prompt and of the answer. */
import type { UsedAnswer } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { useState } from 'react'
import { Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { countText, plural, shortId } from '../parts/words.ts'
import { useSpace } from './use-space.tsx'

export function Asked({ answer }: { readonly answer: UsedAnswer }) {
  const { key, task, model, prompt, attempts, inputTokens, outputTokens, money } = answer
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="asked">
      <dl>
        <dt>Task</dt>
        <dd>{task}</dd>
        <dt>Model</dt>
        <dd>
          {model}, {plural(attempts, 'call')}
        </dd>
        <dt>Prompt</dt>
        <dd>{prompt === null ? 'none: an embedding' : <code title={prompt}>{prompt.slice(0, 8)}</code>}</dd>
        <dt>Cost</dt>
        <dd>
          {countText(inputTokens)} tokens in, {countText(outputTokens)} out
          {money === null ? '; the model has no price' : `; ${money.toFixed(4)}`}
        </dd>
        <dt>Answer</dt>
        <dd>
          <code title={key}>{shortId(key)}</code>
        </dd>
      </dl>
      {prompt !== null && (
        <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
          <summary>Prompt and answer</summary>
          {isOpen && <Texts answerKey={key} />}
        </details>
      )}
    </div>
  )
}

interface AnswerText {
  readonly prompt: string | null
  readonly answer: string | null
  readonly none: string | null
}

function Texts({ answerKey }: { readonly answerKey: string }) {
  const { space, session } = useSpace()
  const reply = useReply(
    (signal) => session.client.get<AnswerText>(path`/v1/spaces/${space}/answers/${answerKey}`, {}, { signal }),
    [space, session, answerKey],
  )
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the answer" />
  const { prompt, answer, none } = reply.value
  return (
    <>
      <h4>Prompt</h4>
      <pre>{prompt ?? 'no known derivation has its text'}</pre>
      <h4>Answer</h4>
      <pre>{answer === null ? `none: ${none ?? 'an embedding'}` : indented(answer)}</pre>
    </>
  )
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
