/** Failures, waits, and empty places that teach. */
import type { ReactNode } from 'react'

export function Failure({ error }: { readonly error: Error }) {
  return (
    <p className="failure" role="alert">
      {error.message}
    </p>
  )
}

export function Waiting({ what }: { readonly what: string }) {
  return (
    <p className="waiting" role="status">
      Reading {what}…
    </p>
  )
}

interface OfEmpty {
  readonly title: string
  readonly children: ReactNode
  /** The lines of code that fill this place. */
  readonly code: string
}

export function Empty({ title, children, code }: OfEmpty) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      <pre>
        <code>{code}</code>
      </pre>
    </section>
  )
}
