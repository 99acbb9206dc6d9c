/**
 * Compares the writers' histories with the log and the derived events, and finds broken promises. Pure: the same input
 * gives the same findings.
 * - `lost`: acknowledged, but not in the log or not derived.
 * - `doubled`: has more records than attempts, or was derived twice.
 * - `swapped`: a writer's acknowledged appends to a space are in reverse order in the log, or a space is derived in
 *   another order than the log's.
 * - `misplaced`: acknowledged at the position of another record.
 * - `refused-but-stored`: reported as failed, but in the log.
 * - `invented`: appended by no writer.
 *
 * An append with an unknown outcome may be in the log, once for each attempt.
 */

export interface RecordPosition {
  readonly partition: number
  readonly offset: number
}

export type Outcome = 'acknowledged' | 'failed' | 'unknown'

/**
 * An attempt to append an event. A writer makes one at a time, and repeats an attempt with an unknown outcome under the
 * same id.
 */
export interface Attempt {
  readonly writer: string
  readonly space: string
  readonly id: string
  readonly outcome: Outcome
  /** The position in the acknowledgement. */
  readonly place: RecordPosition | null
}

/** A source record in the log. */
export interface StoredRecord extends RecordPosition {
  readonly space: string
  readonly id: string
}

/** A derived utterance, with its seq in its space. */
export interface DerivedUtterance {
  readonly space: string
  readonly id: string
  readonly seq: number
}

export interface Evidence {
  /** In the order of each writer's attempts. */
  readonly attempts: readonly Attempt[]
  /** By partition and offset. */
  readonly stored: readonly StoredRecord[]
  readonly derived: readonly DerivedUtterance[]
}

export interface Finding {
  readonly kind: 'lost' | 'doubled' | 'swapped' | 'misplaced' | 'refused-but-stored' | 'invented'
  readonly detail: string
}

export function check(evidence: Evidence): readonly Finding[] {
  const attempts = Map.groupBy(evidence.attempts, keyOf)
  const stored = Map.groupBy(evidence.stored, keyOf)
  return [
    ...inTheLog(attempts, stored),
    ...places(evidence),
    ...ordersOfWriters(evidence.attempts, stored),
    ...inDerivedEvents(evidence),
  ]
}

function inTheLog(
  attempts: ReadonlyMap<string, readonly Attempt[]>,
  stored: ReadonlyMap<string, readonly StoredRecord[]>,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const [key, tries] of attempts) {
    const records = stored.get(key)?.length ?? 0
    const possible = tries.filter(({ outcome }) => outcome !== 'failed').length
    const acknowledged = tries.some(({ outcome }) => outcome === 'acknowledged')
    if (acknowledged && records === 0)
      findings.push({ kind: 'lost', detail: `${key} is acknowledged, but not in the log` })
    if (possible === 0 && records > 0)
      findings.push({ kind: 'refused-but-stored', detail: `${key} failed, but is in the log` })
    else if (records > possible)
      findings.push({ kind: 'doubled', detail: `${key} has ${records} records of ${possible} attempts` })
  }
  for (const key of stored.keys()) {
    if (!attempts.has(key)) findings.push({ kind: 'invented', detail: `${key} has no append` })
  }
  return findings
}

function places({ attempts, stored }: Evidence): readonly Finding[] {
  const at = new Map(stored.map((record) => [placeName(record), keyOf(record)]))
  return attempts.flatMap((attempt) => {
    if (attempt.place === null) return []
    const place = placeName(attempt.place)
    const found = at.get(place) ?? 'nothing'
    if (found === keyOf(attempt)) return []
    return [
      { kind: 'misplaced', detail: `${keyOf(attempt)} is acknowledged at ${place}, the position of ${found}` },
    ] as const
  })
}

/**
 * Finds acknowledged appends of a writer to a space that are in another order in the log. The first record of each
 * append counts.
 */
function ordersOfWriters(
  attempts: readonly Attempt[],
  stored: ReadonlyMap<string, readonly StoredRecord[]>,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const [writer, tries] of Map.groupBy(attempts, ({ writer, space }) => `${writer} in ${space}`)) {
    const done = new Set(tries.filter(({ outcome }) => outcome === 'acknowledged').map(keyOf))
    // A set keeps the order of the first attempts.
    const inOrder = [...new Set(tries.map(keyOf))].filter((key) => done.has(key))
    const offsets = inOrder.flatMap((key) => stored.get(key)?.[0] ?? [])
    for (const [at, record] of offsets.entries()) {
      const next = offsets[at + 1]
      if (next && (next.partition !== record.partition || next.offset < record.offset))
        findings.push({
          kind: 'swapped',
          detail: `${writer}: ${next.id} was appended after ${record.id}, but comes before it`,
        })
    }
  }
  return findings
}

function inDerivedEvents({ stored, derived, attempts }: Evidence): readonly Finding[] {
  const findings: Finding[] = []
  const acknowledged = new Set(attempts.filter(({ outcome }) => outcome === 'acknowledged').map(keyOf))
  const inLog = Map.groupBy(stored, ({ space }) => space)
  const inDerived = Map.groupBy(derived, ({ space }) => space)
  for (const [space, records] of inLog) {
    const order = [...new Set(records.map(keyOf))]
    const bySeq = (inDerived.get(space) ?? []).toSorted((a, b) => a.seq - b.seq)
    const counts = Map.groupBy(bySeq, keyOf)
    for (const key of order) {
      const times = counts.get(key)?.length ?? 0
      if (times > 1) findings.push({ kind: 'doubled', detail: `${key} is derived ${times} times` })
      if (times === 0 && acknowledged.has(key))
        findings.push({ kind: 'lost', detail: `${key} is in the log, but not derived` })
    }
    const derivedOrder = [...counts.keys()]
    const expected = order.filter((key) => counts.has(key))
    const wrong = expected.findIndex((key, at) => derivedOrder[at] !== key)
    if (wrong !== -1) {
      const detail = `${space}: ${expected[wrong]} is next in the log, and ${derivedOrder[wrong]} in the derived events`
      findings.push({ kind: 'swapped', detail })
    }
    const seqs = Map.groupBy(bySeq, ({ seq }) => seq)
    for (const [seq, same] of seqs) {
      const keys = new Set(same.map(keyOf))
      if (keys.size > 1)
        findings.push({ kind: 'doubled', detail: `${space}: seq ${seq} is given to ${[...keys].join(' and ')}` })
    }
  }
  return findings
}

function keyOf({ space, id }: { readonly space: string; readonly id: string }): string {
  return `${space}/${id}`
}

function placeName({ partition, offset }: RecordPosition): string {
  return `${partition}@${offset}`
}
