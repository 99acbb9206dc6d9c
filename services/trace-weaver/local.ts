/** The task by rules: a link needs a score, which `link-scores.ts` gives every pair of an event and a candidate. */
import type { Effects, Parameters } from '@loomlog/runtime/step'
import type { LinkQuestion, Links } from './task-types.ts'

export function* verifyLinks({ events }: LinkQuestion, { linkScore = 1 }: Parameters): Effects<Links> {
  const links = events.map(({ label, candidates }) => {
    const linked = candidates.filter(({ score }) => score >= linkScore)
    return [label, ...linked.map((candidate) => candidate.label)].join(' ')
  })
  return { links }
}
