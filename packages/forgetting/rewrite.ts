/**
 * Rewrites a space: a marker after which everything before it is void, and copies of the events that are kept.
 *
 * The next append is decided by the log alone, so a rewrite that was interrupted continues:
 * 1. No marker of the forgetting yet: the marker with all copies. On sqlite they are one append.
 * 2. The events behind the marker begin the wanted ones: the rest of them is appended. These are events that other
 *    writers appended while the space was read, and on Kafka the copies that an interruption left out.
 * 3. Events of other writers came amid the copies: the rewrite is done again behind another marker, a few times at
 *    most.
 */
import { LoomlogError } from '@loomlog/errors'
import { recordOf } from '@loomlog/intake/append'
import { crashPoint } from '@loomlog/log/crash-points'
import type { SourceEvent, SubjectForgotten } from '@loomlog/schemas/events'
import { hash, spaceKey } from '@loomlog/schemas/ids'
import { divide } from './divide.ts'
import type { Forgetting } from './forgettings.ts'
import { type Era, type LogParts, readEras } from './space-history.ts'

/** Rewrites of one forgetting that other writers disturbed. */
const mostMarkers = 6

export interface Rewritten {
  /** How many markers of the forgetting there are. */
  readonly markers: number
  readonly kept: number
}

/**
 * @param earlier markers of earlier rewrites of this forgetting, which are not enough
 * @throws LoomlogError `overloaded` where other writers append to the space all the time: repeat it
 */
export async function rewriteSpace(forgetting: Forgetting, earlier: number, parts: LogParts): Promise<Rewritten> {
  const space = spaceKey(forgetting.tenant, forgetting.space)
  for (;;) {
    const eras = await readEras(space, parts)
    const { markers, events, kept } = nextAppend(eras, forgetting, earlier)
    if (events.length === 0) return { markers, kept }
    if (markers > earlier + mostMarkers) {
      const message = `${space} was appended to during each of ${mostMarkers} rewrites: repeat the forgetting later`
      throw new LoomlogError('overloaded', message)
    }
    crashPoint('forget.before-rewrite')
    await parts.log.append(
      'utterances',
      events.map((event) => recordOf(event, parts.codec)),
    )
    crashPoint('forget.after-rewrite')
  }
}

interface NextAppend extends Rewritten {
  readonly events: readonly SourceEvent[]
}

/** The events to append next; none: the space is rewritten. */
function nextAppend(eras: readonly Era[], forgetting: Forgetting, earlier: number): NextAppend {
  const first = eras.findIndex(({ marker }) => marker?.forgetting === forgetting.id)
  const before = (first === -1 ? eras.at(-1) : eras[first - 1])?.events ?? []
  const { kept, forgotten } = divide(before, forgetting.selection)
  const own = eras.filter(({ marker }) => marker?.forgetting === forgetting.id)
  const markers = own.length
  const after = eras.at(-1)?.marker?.appendedAt ?? 0
  const markerBefore = (events: readonly SourceEvent[]) => [
    markerOf(forgetting, events, { forgotten, markers, after }),
    ...events,
  ]
  if (first === -1) return { markers: 1, events: markerBefore(kept), kept: kept.length }
  const copied = new Set(kept.map(({ id }) => id))
  const later = new Map(own.flatMap(({ events }) => events.map((event) => [event.id, event] as const)))
  const wanted = [...kept, ...[...later.values()].filter(({ id }) => !copied.has(id))]
  const present = own.at(-1)?.events ?? []
  if (markers > earlier && present.every(({ id }, at) => wanted[at]?.id === id))
    return { markers, events: wanted.slice(present.length), kept: kept.length }
  return { markers: markers + 1, events: markerBefore(wanted), kept: kept.length }
}

interface MarkerPlace {
  readonly forgotten: readonly SourceEvent[]
  /** Earlier markers of the forgetting. */
  readonly markers: number
  /** Log time of the last marker of the space. Later markers have later times, also where a clock is set back. */
  readonly after: number
}

/** The marker names nothing that is forgotten, so no author either who spoke in it. */
function markerOf(
  { id: forgetting, tenant, space, by, at, principal }: Forgetting,
  { length: kept }: readonly SourceEvent[],
  { forgotten, markers, after }: MarkerPlace,
): SubjectForgotten {
  const isSubject = forgotten.some((event) => ('speaker' in event ? event.speaker : 'by' in event && event.by) === by)
  return {
    type: 'SubjectForgotten',
    id: hash(['forgotten', forgetting, markers]),
    tenant,
    space,
    seq: null,
    subject: '',
    forgetting,
    kept,
    by: isSubject ? '' : by,
    at,
    appendedAt: Math.max(Date.now(), after + 1),
    principal,
    keyId: null,
  }
}
