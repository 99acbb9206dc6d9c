/**
 * Envelopes: turns a step's drafts into whole events, with ids from the cause, the seq, log time and lineage. Every
 * derived event gets its envelope here.
 */
import type { DerivedRecord, Draft, SpaceRecord } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import type { SequencedEvent } from './processor.ts'

export interface StageOrigin {
  readonly stage: string
  readonly derivation: string
}

export function withEnvelopes(
  drafts: readonly Draft[],
  cause: SequencedEvent<SpaceRecord>,
  { stage, derivation }: StageOrigin,
): DerivedRecord[] {
  return drafts.map((draft, ordinal) => {
    const { origin, ...body } = draft
    const causes = [cause.id, ...origin.causes.filter((id) => id !== cause.id)]
    return {
      ...body,
      id: derivedId(stage, cause.id, ordinal),
      tenant: cause.tenant,
      space: cause.space,
      seq: cause.seq,
      ordinal,
      knownAt: 'knownAt' in cause ? cause.knownAt : cause.appendedAt,
      lineage: { derivation, method: origin.method, causes, completions: origin.completions },
      keyId: null,
    }
  })
}
