/** Corrections of a fact or an entry. Their preview: the words before and after, and everything that rests on them. */
import type { Impact } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import type { ReactNode } from 'react'
import { plural } from '../parts/words.ts'
import type { Session } from '../session.ts'
import { type Act, filledIn } from './act-dialog.tsx'

export interface ActOn {
  readonly session: Session
  readonly space: string
  readonly id: string
  readonly text: string
}

const verbs = { replace: 'Correct', pin: 'Pin', retract: 'Retract' } as const
const abouts = {
  replace: 'The new words hold in place of these, in this and every later derivation.',
  pin: 'The memory holds, also where a later derivation would not find it.',
  retract: 'The memory no longer holds, nor do others of the same statement. Its utterances stay.',
} as const
export type CorrectionKind = keyof typeof verbs

export function correctionOf(kind: CorrectionKind, { session, space, id, text }: ActOn): Act {
  const { client, rights } = session
  return {
    title: `${verbs[kind]} a memory`,
    verb: verbs[kind],
    fields: (
      <>
        <p className="about">{abouts[kind]}</p>
        <blockquote>{text}</blockquote>
        {kind === 'replace' && (
          <label>
            The right words
            <textarea name="text" required rows={3} maxLength={4_000} defaultValue={text} />
          </label>
        )}
        <label>
          Reason
          <input name="reason" autoComplete="off" maxLength={500} />
        </label>
      </>
    ),
    async preview(given) {
      const impact = await client.get<Impact>(path`/v1/spaces/${space}/memories/${id}/impact`, { limit: 20 })
      return (
        <>
          {kind === 'replace' && (
            <p>
              <del>{text}</del> <ins>{String(given.get('text'))}</ins>
            </p>
          )}
          <Resting impact={impact} />
        </>
      )
    },
    async perform(given) {
      const body = { action: kind, memory: id, role: roleOf(rights.roles), ...filledIn(given) }
      const { corrections } = await client.post<{ corrections: readonly object[] }>(
        path`/v1/spaces/${space}/corrections`,
        body,
      )
      return (
        <p>
          {plural(corrections.length, 'correction')} in the name of {String(given.get('by'))} in the log. The stages
          apply it next.
        </p>
      )
    },
  }
}

/** People and agents correct; a person unless the key says otherwise. */
export function roleOf(roles: readonly string[] | null): 'human' | 'agent' {
  return roles === null || roles.includes('human') ? 'human' : 'agent'
}

function Resting({ impact: { counts, effects, leftOut } }: { readonly impact: Impact }): ReactNode {
  if (counts.length === 0) return <p>No other memory rests on it.</p>
  return (
    <>
      <p>Derived again: {counts.map(({ kind, evidence, context }) => plural(evidence + context, kind)).join(', ')}.</p>
      <ul>
        {effects.map(({ id, kind, text }) => (
          <li key={id}>
            <span className="about">{kind}</span> {text}
          </li>
        ))}
      </ul>
      {leftOut > 0 && <p className="hint">{plural(leftOut, 'further memory', 'further memories')}</p>}
    </>
  )
}
