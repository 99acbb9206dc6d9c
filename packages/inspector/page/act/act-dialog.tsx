/**
 * A change of the memory in three steps: the fields, a preview of the effects, and the change in its author's name. A
 * change of a field takes the preview back.
 */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Failure } from '../parts/notices.tsx'
import type { Rights } from '../session.ts'

export interface Act {
  /** The title of the dialog. */
  readonly title: string
  /** The verb on the button. */
  readonly verb: string
  readonly fields: ReactNode
  preview(given: FormData): Promise<ReactNode>
  perform(given: FormData): Promise<ReactNode>
}

type Step =
  | { readonly at: 'fields' }
  | { readonly at: 'waiting' }
  | { readonly at: 'previewed'; readonly effects: ReactNode }
  | { readonly at: 'done'; readonly outcome: ReactNode }
  | { readonly at: 'failed'; readonly error: Error }

interface OfDialog {
  readonly act: Act
  readonly rights: Rights
  readonly onClose: () => void
}

export function ActDialog({ act, rights, onClose }: OfDialog) {
  const dialog = useRef<HTMLDialogElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const [step, setStep] = useState<Step>({ at: 'fields' })
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const isPreviewed = step.at === 'previewed'
  const proceed = async () => {
    if (form.current === null) return
    const given = new FormData(form.current)
    setStep({ at: 'waiting' })
    try {
      if (isPreviewed) setStep({ at: 'done', outcome: await act.perform(given) })
      else setStep({ at: 'previewed', effects: await act.preview(given) })
    } catch (error) {
      setStep({ at: 'failed', error: error as Error })
    }
  }
  return (
    <dialog ref={dialog} className="act" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{act.title}</h2>
      {step.at !== 'done' && (
        <form
          ref={form}
          onChange={() => setStep({ at: 'fields' })}
          onSubmit={(event) => {
            event.preventDefault()
            void proceed()
          }}
        >
          {act.fields}
          <AuthorField rights={rights} />
          {step.at === 'failed' && <Failure error={step.error} />}
          {isPreviewed && (
            <section className="effects" role="status">
              {step.effects}
            </section>
          )}
          <p className="buttons">
            <button type="submit" disabled={step.at === 'waiting'}>
              {isPreviewed ? act.verb : 'Preview'}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </p>
        </form>
      )}
      {step.at === 'done' && (
        <>
          <div className="effects" role="status">
            {step.outcome}
          </div>
          <p className="buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </p>
        </>
      )}
    </dialog>
  )
}

const authorKey = 'loomlog.author'

/** The author of the change, as its record names it: one of those of the key, or any name. */
function AuthorField({ rights: { speakers } }: { readonly rights: Rights }) {
  const id = useId()
  return (
    <>
      <label htmlFor={id}>In the name of</label>
      {speakers === null ? (
        <input
          id={id}
          name="by"
          required
          maxLength={256}
          autoComplete="off"
          defaultValue={sessionStorage.getItem(authorKey) ?? ''}
          onBlur={({ target }) => sessionStorage.setItem(authorKey, target.value)}
        />
      ) : (
        <select id={id} name="by">
          {speakers.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </>
  )
}

/** The fields of a form that are filled in. */
export function filledIn(given: FormData): { readonly [name: string]: string } {
  return Object.fromEntries(
    [...given].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    ),
  )
}
