/** The newest utterances of a space, for a context without a question. */
import type { Role } from '@loomlog/schemas/events'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { eachCandidate } from '../each-candidate.ts'
import type { RankedEvidence } from '../find-evidence.ts'
import { byTime, type Memory, memoryOfUtterance } from '../memory.ts'
import type { Preparation } from '../preparation.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf, isInScope, momentOf } from '../request/filter.ts'
import type { CheckedRequest } from '../request/request.ts'
import { exclusionsOf } from '../search/exclusions.ts'
import { memoizedTail } from '../search/log-tail.ts'
import { newestFirst } from '../search/newest-first.ts'
import { withReplacements } from '../search/replacements.ts'
import { retractionsOf, withRetractions } from '../search/retractions.ts'
import { readMemory, withChanges } from '../search/stated-changes.ts'
import { memoriesOfTail } from '../search/tail-candidates.ts'

const maxRead = 200

/** The newest have the highest scores. Outdated and retracted ones are marked, as in a recall. */
export async function newestUtterances(
  request: CheckedRequest,
  preparation: Preparation,
  options: RecallOptions,
): Promise<Pick<RankedEvidence, 'ranked' | 'fields' | 'tails'>> {
  const [space = ''] = request.spaces
  await preparation.viewsReached()
  const tail = memoizedTail(space, options)
  const { utterances, unsearched } = await tail()
  const tailInScope = utterances.filter(({ event }) => isInScope(event, request.scope))
  const inTail = await memoriesOfTail(tailInScope, options)
  const where = conditionOf(request.scope)
  const rows = await options.views.scan(utteranceTable, { space, where, orderBy: newestFirst, limit: maxRead })
  const inViews = rows.map(memoryOfUtterance)
  const spoken = [...rows, ...tailInScope.map(({ event }) => event)]
  const roles = new Map(spoken.map(({ id, role }) => [id, role as Role]))
  const exclude = await exclusionsOf(request, [{ space, tail }], options)
  const distinct = [...new Map([...inViews, ...inTail].map((memory) => [memory.id, memory])).values()]
  const found = distinct
    .filter((memory) => !exclude.some((excludes) => excludes(memory)))
    .toSorted((a, b) => byTime(b, a))
    .slice(0, maxRead)
  const read = (memory: Memory) => {
    readMemory(memory)
    return memory
  }
  const readable = await eachCandidate(found, read, { ...options, nameOf: (memory) => memory })
  const newest = readable.map((memory, at) => ({ ...memory, score: 1 / (1 + at) }))
  const candidates = readable.map((memory) => ({ memory, role: roles.get(memory.id) ?? null }))
  const changes = withChanges(new Map(), candidates, new Set(newest.map(({ id }) => id)), momentOf(request.scope.asOf))
  const retractions = await retractionsOf(
    newest.map(({ id }) => id),
    { space, scope: request.scope },
    options,
  )
  return {
    ranked: withReplacements(withRetractions(newest, retractions), changes, ''),
    fields: unsearched > 0 ? { unsearched } : {},
    tails: new Map([[space, tail]]),
  }
}
