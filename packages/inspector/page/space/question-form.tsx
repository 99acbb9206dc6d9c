/** The form of a question, with further fields of its view. */
import { type ReactNode, useId, useRef } from 'react'

interface OfQuestion {
  readonly label: string
  readonly example: string
  /** The question that is answered; null: none yet. */
  readonly question: string | null
  readonly onQuestion: (question: string) => void
  readonly children: ReactNode
}

export function QuestionForm({ label, example, question, onQuestion, children }: OfQuestion) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  return (
    <form
      className="question"
      onSubmit={(event) => {
        event.preventDefault()
        const given = field.current?.value.trim() ?? ''
        if (given !== '') onQuestion(given)
      }}
    >
      <label htmlFor={id}>Question</label>
      <input
        // The address may bring another question.
        key={question}
        ref={field}
        id={id}
        type="search"
        required
        maxLength={2_000}
        placeholder={example}
        defaultValue={question ?? ''}
      />
      {children}
      <button type="submit">{label}</button>
    </form>
  )
}
