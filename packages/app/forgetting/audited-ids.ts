/**
 * Audit records without the ids that a request appended. A writer may choose ids that name people, so the records with
 * ids are erased; that somebody appended to the space at a time is still in the audit.
 */
import type { ForgettingState } from '@loomlog/forgetting/forgettings'
import type { VoidRecord } from '@loomlog/forgetting/inventory'
import type { Host } from '@loomlog/host/open'
import type { RequestAudited } from '@loomlog/schemas/events'
import { canonicalJson } from '@loomlog/schemas/ids'

/** Appends those copies that the audit lacks. */
export async function withoutAuditedIds(
  { tenant, space }: Pick<ForgettingState, 'tenant' | 'space'>,
  records: readonly VoidRecord[],
  { log, codec }: Pick<Host, 'log' | 'codec'>,
): Promise<void> {
  const offsets = new Set(
    records.filter(({ position }) => position.topic === 'audit').map(({ position }) => position.offset),
  )
  if (offsets.size === 0) return
  const present = new Set<string>()
  const copies: RequestAudited[] = []
  for await (const batch of log.read({ topic: 'audit', until: 'end' })) {
    for (const { offset, value } of batch) {
      const event = await codec.decodeOwn(value)
      if (event?.type !== 'RequestAudited' || event.tenant !== tenant || event.space !== space) continue
      if (offsets.has(offset)) copies.push({ ...event, ids: [] })
      else present.add(canonicalJson(event))
    }
  }
  const missing = copies.filter((copy) => !present.has(canonicalJson(copy)))
  await log.append(
    'audit',
    missing.map((copy) => ({ key: null, partition: 0, value: codec.encode(copy), timestamp: copy.at })),
  )
}
