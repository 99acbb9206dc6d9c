/** Retractions and forgettings of utterances, each with the server's own preview. */
import { path } from '@loomlog/client/loomlog-client'
import { useEffect, useState } from 'react'
import { countText, plural } from '../parts/words.ts'
import type { Session } from '../session.ts'
import { type Act, filledIn } from './act-dialog.tsx'
import { type ActOn, roleOf } from './corrections.tsx'

interface OfUtterance extends ActOn {
  readonly speaker: string
  readonly conversation: string
}

function Selection({ of: { speaker, conversation, text } }: { readonly of: OfUtterance }) {
  return (
    <>
      <blockquote>{text}</blockquote>
      <fieldset>
        <legend>Selected</legend>
        <label>
          <input type="radio" name="selected" value="utterances" defaultChecked /> this utterance
        </label>
        <label>
          <input type="radio" name="selected" value="speaker" /> everything that {speaker} said in this space
        </label>
        <label>
          <input type="radio" name="selected" value="conversation" /> the conversation {conversation}
        </label>
      </fieldset>
    </>
  )
}

function selectionOf(given: FormData, { id, speaker, conversation }: OfUtterance): object {
  const selections: { readonly [selected: string]: object } = {
    utterances: { utterances: [id] },
    speaker: { speaker },
    conversation: { conversation },
  }
  return selections[String(given.get('selected'))] ?? {}
}

interface RetractionPlan {
  readonly utterances: readonly { readonly id: string; readonly text: string }[]
  readonly downstream: { readonly [table: string]: readonly { readonly id: string; readonly text: string }[] }
}

export function retractionOf(of: OfUtterance): Act {
  const { session, space } = of
  const send = (given: FormData, dryRun: boolean) => {
    const { reason, by } = filledIn(given)
    const body = { by, role: roleOf(session.rights.roles), ...(reason !== undefined && { reason }), dryRun }
    const request = { ...body, ...selectionOf(given, of) }
    return session.client.post<RetractionPlan>(path`/v1/spaces/${space}/retractions`, request)
  }
  return {
    title: 'Retract by cause',
    verb: 'Retract',
    fields: (
      <>
        <p className="about">No memory rests on the selected utterances any more. They stay in the log.</p>
        <Selection of={of} />
        <label>
          Reason
          <input name="reason" autoComplete="off" maxLength={500} />
        </label>
      </>
    ),
    async preview(given) {
      const { utterances, downstream } = await send(given, true)
      return (
        <>
          <p>{plural(utterances.length, 'utterance')}; no longer held:</p>
          <ul>
            {Object.entries(downstream).flatMap(([table, memories]) =>
              memories.map(({ id, text }) => (
                <li key={id}>
                  <span className="about">{table}</span> {text}
                </li>
              )),
            )}
          </ul>
        </>
      )
    },
    async perform(given) {
      const { utterances } = await send(given, false)
      return (
        <p>
          {plural(utterances.length, 'utterance')} retracted in the name of {String(given.get('by'))}.
        </p>
      )
    },
  }
}

interface ForgettingReply {
  readonly id: string | null
  readonly utterances: number
  readonly conversations: number
  readonly corrections: number
  readonly kept: number
  readonly impact: { readonly [table: string]: number }
  readonly mentions: readonly { readonly id: string; readonly text: string }[]
}

export function forgettingOf(of: OfUtterance): Act {
  const { session, space } = of
  const send = (given: FormData, preview: boolean) => {
    const body = { by: filledIn(given)['by'], preview, ...selectionOf(given, of) }
    return session.client.post<ForgettingReply>(path`/v1/spaces/${space}/forgettings`, body)
  }
  return {
    title: 'Forget for ever',
    verb: 'Destroy for ever',
    fields: (
      <>
        <p className="about">
          The selected utterances, and everything that was made of them, are destroyed. It can not be undone.
        </p>
        <Selection of={of} />
      </>
    ),
    async preview(given) {
      const { utterances, conversations, corrections, kept, impact, mentions } = await send(given, true)
      return (
        <>
          <p>
            Destroyed: {plural(utterances, 'utterance')} of {plural(conversations, 'conversation')},{' '}
            {plural(corrections, 'correction')}. Kept: {plural(kept, 'event')}.
          </p>
          <p>
            Derived again:{' '}
            {Object.entries(impact)
              .map(([table, count]) => `${countText(count)} ${table}`)
              .join(', ') || 'nothing'}
            .
          </p>
          {mentions.length > 0 && <p>These stay, and name the speaker:</p>}
          <ul>
            {mentions.map(({ id, text }) => (
              <li key={id}>{text}</li>
            ))}
          </ul>
        </>
      )
    },
    async perform(given) {
      const { id } = await send(given, false)
      if (id === null) return <p>There is nothing to forget.</p>
      return <ForgettingProgress session={session} space={space} id={id} />
    },
  }
}

const steps: { readonly [status: string]: string } = {
  requested: 'The request is in the log.',
  rewritten: 'The space begins again with the events that are kept.',
  listed: 'The bytes to destroy are listed.',
  destroyed: 'The bytes are destroyed.',
  certified: 'Destroyed, and certified.',
}
const pollMs = 1_000

interface OfProgress {
  readonly session: Session
  readonly space: string
  readonly id: string
}

function ForgettingProgress({ session, space, id }: OfProgress) {
  const [status, setStatus] = useState('requested')
  useEffect(() => {
    if (status === 'certified') return
    const ended = new AbortController()
    const read = async () => {
      const found = await session.client.get<{ status: string }>(
        path`/v1/spaces/${space}/forgettings/${id}`,
        {},
        { signal: ended.signal },
      )
      setStatus(found.status)
    }
    // A failure is no news: the next reading shows the step.
    const timer = setInterval(() => void read().catch(() => undefined), pollMs)
    return () => {
      clearInterval(timer)
      ended.abort()
    }
  }, [session, space, id, status])
  return (
    <>
      <p>{steps[status] ?? status}</p>
      <p className="about">
        Forgetting <code>{id}</code>: <code>loomlog forget verify</code> checks its certificate.
      </p>
    </>
  )
}
