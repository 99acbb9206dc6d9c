/** The buttons of the changes that the key may make on a memory. A key without the scope has none. */
import type { ListedMemory } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { useState } from 'react'
import { Failure } from '../parts/notices.tsx'
import { useSpace } from '../space/use-space.tsx'
import { type Act, ActDialog } from './act-dialog.tsx'
import { type ActOn, correctionOf } from './corrections.tsx'
import { forgettingOf, retractionOf } from './utterances.tsx'

interface OfActs {
  readonly id: string
  readonly kind: string
}

const ofUtterance =
  (make: typeof retractionOf) =>
  (on: ActOn, { speaker, conversation }: ListedMemory) =>
    make({ ...on, speaker, conversation })

export function Acts({ id, kind }: OfActs) {
  const { session, space } = useSpace()
  const [act, setAct] = useState<Act | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const { scopes } = session.rights
  const isStatement = kind === 'fact' || kind === 'entry'
  const begin = (actOn: (on: ActOn, memory: ListedMemory) => Act) => async () => {
    const { memory } = await session.client.get<{ memory: ListedMemory }>(path`/v1/spaces/${space}/memories/${id}`)
    // The text of an entry has its title and heading before the statement, which alone is corrected.
    const text = String(memory['statement'] ?? memory.text)
    setAct(actOn({ session, space, id, text }, memory))
  }
  const offered: readonly (readonly [string, boolean, () => Promise<void>])[] = [
    ['Correct…', isStatement && scopes.includes('correct'), begin((on) => correctionOf('replace', on))],
    ['Pin…', isStatement && scopes.includes('correct'), begin((on) => correctionOf('pin', on))],
    ['Retract…', isStatement && scopes.includes('correct'), begin((on) => correctionOf('retract', on))],
    ['Retract…', kind === 'utterance' && scopes.includes('correct'), begin(ofUtterance(retractionOf))],
    ['Forget…', kind === 'utterance' && scopes.includes('forget'), begin(ofUtterance(forgettingOf))],
  ]
  const allowed = offered.filter(([, isAllowed]) => isAllowed)
  if (allowed.length === 0) return null
  return (
    <>
      <p className="buttons">
        {allowed.map(([name, , open]) => (
          <button
            key={name}
            type="button"
            className="quiet"
            onClick={() => open().catch((failure) => setError(failure as Error))}
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
