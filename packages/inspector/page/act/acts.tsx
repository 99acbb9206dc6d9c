/** The buttons of the changes that the key may make on a memory. A key without the scope has none. */
import type { ListedMemory } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { useState } from 'react'
import { Failure } from '../parts/notices.tsx'
import { useSpace } from '../space/use-space.tsx'
import { type Act, ActDialog } from './act-dialog.tsx'
import { correctionOf } from './corrections.tsx'
import { forgettingOf, retractionOf } from './utterances.tsx'

interface OfActs {
  readonly id: string
  readonly kind: string
  readonly text: string
}

export function Acts({ id, kind, text }: OfActs) {
  const { session, space } = useSpace()
  const [act, setAct] = useState<Act | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const { scopes } = session.rights
  const on = { session, space, id, text }
  const ofUtterance = (make: typeof retractionOf) => async () => {
    const { memory } = await session.client.get<{ memory: ListedMemory }>(path`/v1/spaces/${space}/memories/${id}`)
    const { speaker, conversation } = memory
    setAct(make({ ...on, speaker, conversation }))
  }
  const isStatement = kind === 'fact' || kind === 'entry'
  const offered: readonly (readonly [string, boolean, () => void | Promise<void>])[] = [
    ['Correct…', isStatement && scopes.includes('correct'), () => setAct(correctionOf('replace', on))],
    ['Pin…', isStatement && scopes.includes('correct'), () => setAct(correctionOf('pin', on))],
    ['Retract…', isStatement && scopes.includes('correct'), () => setAct(correctionOf('retract', on))],
    ['Retract…', kind === 'utterance' && scopes.includes('correct'), ofUtterance(retractionOf)],
    ['Forget…', kind === 'utterance' && scopes.includes('forget'), ofUtterance(forgettingOf)],
  ]
  const allowed = offered.filter(([, isAllowed]) => isAllowed)
  if (allowed.length === 0) return null
  return (
    <>
      <p className="buttons">
        {allowed.map(([name, , begin]) => (
          <button
            key={name}
            type="button"
            className="quiet"
            onClick={() => Promise.resolve(begin()).catch((failure) => setError(failure as Error))}
          >
            {name}
          </button>
        ))}
      </p>
      {error !== null && <Failure error={error} />}
      {act !== null && <ActDialog act={act} rights={session.rights} onClose={() => setAct(null)} />}
    </>
  )
}
