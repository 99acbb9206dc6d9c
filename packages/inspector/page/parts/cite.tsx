/** A citation: the id of a memory as a link to its sources and effects. */
import { whyLink } from '../page-places.ts'
import { useSnapshot, useSpace } from '../space/use-space.tsx'
import { shortId } from './words.ts'

function Cite({ id }: { readonly id: string }) {
  const { space } = useSpace()
  const snapshot = useSnapshot()
  const utterance = snapshot.utterances.get(id)
  const title = utterance === undefined ? id : `${utterance.speaker}: ${utterance.text}`
  return (
    <a className="cite" href={whyLink(space, id)} title={title}>
      {shortId(id)}
    </a>
  )
}

export function Cites({ ids }: { readonly ids: readonly string[] }) {
  return (
    <span className="cites">
      {ids.map((id) => (
        <Cite key={id} id={id} />
      ))}
    </span>
  )
}
