/**
 * Turns what a step returned into whole events: ids from the cause, the place in the space, log time and lineage. The only
 * place where derived events get their envelope, so that it is the same for all of them.
 */
import type { DerivedEvent, Draft, SpaceEvent } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import type { Sequenced } from './processor.ts'

export interface Maker {
  readonly stage: string
  readonly derivation: string
}

export function sealDrafts(drafts: readonly Draft[], cause: Sequenced<SpaceEvent>, maker: Maker): DerivedEvent[] {
  return drafts.map((draft, ordinal) => {
    const { origin, ...body } = draft
    const causes = [cause.id, ...origin.causes.filter((id) => id !== cause.id)]
    return {
      ...body,
      id: derivedId(maker.stage, cause.id, ordinal),
      tenant: cause.tenant,
      space: cause.space,
      seq: cause.seq,
      ordinal,
      knownAt: 'knownAt' in cause ? cause.knownAt : cause.appendedAt,
      lineage: { derivation: maker.derivation, method: origin.method, causes, completions: origin.completions },
      keyId: null,
    } as DerivedEvent
  })
}
