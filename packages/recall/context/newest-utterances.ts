/** The newest utterances of a space, for a context without a question. */
import type { Role } from '@loomlog/schemas/events'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { byTime, memoryOf, type Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { waitForViews } from '../request/read-your-writes.ts'
import type { CheckedRequest } from '../request/request.ts'
import { conditionOf, isInScope } from '../request/scope.ts'
import { exclusionsOf } from '../search/exclusions.ts'
import { memoryOfTail, tailOnce } from '../search/log-tail.ts'
import { withChanges, withReplacements } from '../search/replacements.ts'
import { retractionsIn, withRetractions } from '../search/retractions.ts'

const maxRead = 200
const newestFirst = [
  { by: 'at', direction: 'descending' },
  { by: 'offset', direction: 'descending' },
] as const

/** The newest best; those that no longer hold are marked, as in a recall. */
export async function newestUtterances(request: CheckedRequest, options: RecallOptions): Promise<readonly Scored[]> {
  const [space = ''] = request.spaces
  if (request.after !== null) await waitForViews(request.after, { ...options, ...request })
  const tail = tailOnce(space, options)
  const told = (await tail()).utterances.filter(({ event }) => isInScope(event, request.scope))
  const inTail = told.map(memoryOfTail)
  const where = conditionOf(request.scope)
  const rows = await options.views.scan(utteranceTable, { space, where, orderBy: newestFirst, limit: maxRead })
  const inViews = rows.map((row) => memoryOf('utterance', row))
  const spoken = [...rows, ...told.map(({ event }) => event)]
  const roles = new Map(spoken.map(({ id, role }) => [id, role as Role]))
  const exclude = await exclusionsOf(request, [{ space, tail }], options)
  const distinct = [...new Map([...inViews, ...inTail].map((memory) => [memory.id, memory])).values()]
  const newest = distinct
    .filter((memory) => !exclude.some((excludes) => excludes(memory)))
    .toSorted((a, b) => byTime(b, a))
    .slice(0, maxRead)
    .map((memory, at) => ({ ...memory, score: 1 / (1 + at) }))
  const candidates = newest.map((memory) => ({ memory, role: roles.get(memory.id) ?? null }))
  const changes = withChanges(new Map(), candidates, new Set(newest.map(({ id }) => id)))
  const retractions = await retractionsIn({ space, scope: request.scope }, options)
  return withReplacements(withRetractions(newest, retractions), changes)
}
