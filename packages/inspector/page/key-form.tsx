/** Asks for a key. It is kept for this tab's session only. */
import { useId, useRef } from 'react'
import type { Credentials } from './session.ts'

interface OfForm {
  /** Why the last key was refused; null: there was none. */
  readonly reason: string | null
  readonly onKey: (credentials: Credentials) => void
}

export function KeyForm({ reason, onKey }: OfForm) {
  const id = useId()
  const key = useRef<HTMLInputElement>(null)
  const tenant = useRef<HTMLInputElement>(null)
  return (
    <main className="gate">
      <h1>loomlog</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const given = key.current?.value.trim() ?? ''
          if (given !== '') onKey({ key: given, tenant: tenant.current?.value.trim() ?? '' })
        }}
      >
        <label htmlFor={`${id}-key`}>Key</label>
        <input
          ref={key}
          id={`${id}-key`}
          type="password"
          autoComplete="off"
          required
          aria-describedby={`${id}-about`}
        />
        <p id={`${id}-about`} className="hint">
          A key with the scope <code>recall</code> shows the memory, and with <code>subscribe</code> its changes live.
          The tab keeps it until it is closed.
        </p>
        <label htmlFor={`${id}-tenant`}>Tenant</label>
        <input ref={tenant} id={`${id}-tenant`} type="text" autoComplete="off" placeholder="that of the key" />
        {reason !== null && (
          <p className="failure" role="alert">
            {reason}
          </p>
        )}
        <button type="submit">Open</button>
      </form>
      <pre>
        <code>npx loomlog keys create --tenant default --scope recall subscribe --label inspector</code>
      </pre>
    </main>
  )
}
