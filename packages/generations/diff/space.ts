/**
 * The difference of two memories of one space. Pure. Ids don't count: it is empty if both memories have the same
 * content.
 */
import { matchBoundaries } from './boundaries.ts'
import {
  type Change,
  type ChangeCounts,
  changeTypes,
  type DiffKind,
  diffKinds,
  type Link,
  type SpaceMemory,
} from './memory.ts'
import { matchStatements } from './statements.ts'

export interface SpaceDiff {
  readonly counts: { readonly [kind in DiffKind]: ChangeCounts }
  readonly changes: readonly Change[]
}

export function diffSpace(before: SpaceMemory, after: SpaceMemory): SpaceDiff {
  const facts = matchStatements('fact', before.facts, after.facts)
  const parts = {
    boundary: matchBoundaries(before.boxes, after.boxes),
    fact: facts,
    link: matchLinks(before.links, after.links, facts.pairs),
    'document line': matchStatements('document line', before.topicLines, after.topicLines),
    'profile line': matchStatements('profile line', before.profileLines, after.profileLines),
  }
  const counts = Object.fromEntries(diffKinds.map((kind) => [kind, countsOf(parts[kind])])) as SpaceDiff['counts']
  return { counts, changes: diffKinds.flatMap((kind) => parts[kind].changes) }
}

export function addCounts(a: SpaceDiff['counts'], b: SpaceDiff['counts']): SpaceDiff['counts'] {
  const sum = (x: ChangeCounts, y: ChangeCounts) =>
    Object.fromEntries(
      Object.entries(x).map(([what, count]) => [what, count + y[what as keyof ChangeCounts]]),
    ) as ChangeCounts
  return Object.fromEntries(diffKinds.map((kind) => [kind, sum(a[kind], b[kind])])) as SpaceDiff['counts']
}

export const noCounts: SpaceDiff['counts'] = Object.fromEntries(
  diffKinds.map((kind) => [kind, countsOf({ same: 0, changes: [] })]),
) as SpaceDiff['counts']

function countsOf({ same, changes }: { readonly same: number; readonly changes: readonly Change[] }): ChangeCounts {
  const counted = changeTypes.map((what) => [what, changes.filter((change) => change.what === what).length])
  return { same, ...Object.fromEntries(counted) } as ChangeCounts
}

/** A link is the same if it joins the same two events, in any trace. */
function matchLinks(before: readonly Link[], after: readonly Link[], pairs: ReadonlyMap<string, string>) {
  const key = (event: string | null | undefined, previous: string | null | undefined) => `${previous} → ${event}`
  const now = new Map(after.map((link) => [key(link.event, link.previous), link]))
  const changes: Change[] = []
  let same = 0
  for (const link of before) {
    const [event, previous] = [pairs.get(link.event), link.previous === null ? null : pairs.get(link.previous)]
    if (event !== undefined && now.delete(key(event, previous))) same += 1
    else changes.push({ kind: 'link', what: 'removed', before: shown(link), after: null })
  }
  for (const link of now.values()) changes.push({ kind: 'link', what: 'added', before: null, after: shown(link) })
  return { same, changes }
}

function shown({ id, title, event, previous }: Link) {
  return { id, text: `${title}: ${previous ?? 'the first'} → ${event}` }
}
