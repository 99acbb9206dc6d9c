/**
 * Comparison, promotion and rollback of a generation. It is promoted below its differences to the live one; the server's
 * checks refuse one that is behind, or has far less.
 */
import { path } from '@loomlog/client/loomlog-client'
import { useId, useState } from 'react'
import { Failure } from '../parts/notices.tsx'
import type { Session } from '../session.ts'
import { Difference } from './generation-difference.tsx'

export interface Generation {
  readonly id: string
  readonly name: string | null
  readonly status: string
  readonly liveFor: readonly string[]
  readonly chosen: { readonly [key: string]: string }
  readonly definedAt: number
}

interface OfActs {
  readonly generation: Generation
  /** Whether the generation is derived to the end. */
  readonly isComplete: boolean
  /** The generation that is live for everyone. */
  readonly live: string | null
  readonly session: Session
  readonly onChange: () => void
}

const derived = ['running', 'paused']

export function GenerationActs({ generation, isComplete, live, session, onChange }: OfActs) {
  const { id, liveFor, status } = generation
  const [isCompared, setIsCompared] = useState(false)
  const [tenant, setTenant] = useState('')
  const [isSure, setIsSure] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const name = useId()
  const isLive = liveFor.includes('everyone')
  const send = async (route: string, body: object) => {
    setError(null)
    try {
      await session.client.post(route, body)
      onChange()
    } catch (failure) {
      setError(failure as Error)
    }
  }
  const promoted = { tenant: tenant.trim() || null }
  return (
    <>
      <p className="buttons">
        {!isLive && live !== null && (
          <button type="button" className="quiet" aria-expanded={isCompared} onClick={() => setIsCompared(!isCompared)}>
            {isCompared ? 'Close the differences' : 'Differences to the live one'}
          </button>
        )}
        {liveFor.length > 0 && (
          <button
            type="button"
            className="quiet"
            onBlur={() => setIsSure(false)}
            onClick={() => {
              setIsSure(!isSure)
              if (isSure) void send('/v1/generations/rollback', { tenant: isLive ? null : tenantIn(liveFor) })
            }}
          >
            {isSure ? `Yes, roll back for ${liveFor[0]}` : 'Roll back…'}
          </button>
        )}
      </p>
      {error !== null && <Failure error={error} />}
      {isCompared && !isLive && live !== null && (
        <>
          <Difference before={live} after={id} isComplete={isComplete} session={session} />
          {derived.includes(status) && (
            <p className="buttons">
              <label htmlFor={name}>Tenant</label>
              <input
                id={name}
                className="short"
                autoComplete="off"
                placeholder="everyone"
                value={tenant}
                onChange={({ target }) => setTenant(target.value)}
              />
              <button type="button" onClick={() => send(path`/v1/generations/${id}/promote`, promoted)}>
                {promoted.tenant === null ? 'Promote for everyone' : `Promote for ${promoted.tenant}`}
              </button>
            </p>
          )}
        </>
      )}
    </>
  )
}

/** `tenant NAME`, as the list names it. */
function tenantIn(liveFor: readonly string[]): string | null {
  return liveFor[0]?.replace(/^tenant /, '') ?? null
}
