/** The newest utterances of a space, for a context without a question. */
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { byTime, memoryOf, type Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { waitForViews } from '../request/read-your-writes.ts'
import type { CheckedRequest } from '../request/request.ts'
import { conditionOf, isInScope } from '../request/scope.ts'
import { exclusionsOf } from '../search/exclusions.ts'
import { memoryOfTail, tailOnce } from '../search/log-tail.ts'

const maxRead = 200
const newestFirst = [
  { by: 'at', direction: 'descending' },
  { by: 'offset', direction: 'descending' },
] as const

/** Newest first. */
export async function newestUtterances(request: CheckedRequest, options: RecallOptions): Promise<readonly Scored[]> {
  const [space = ''] = request.spaces
  if (request.after !== null) await waitForViews(request.after, { ...options, ...request })
  const tail = tailOnce(space, options)
  const inTail = (await tail()).utterances.filter(({ event }) => isInScope(event, request.scope)).map(memoryOfTail)
  const where = conditionOf(request.scope)
  const rows = await options.views.scan(utteranceTable, { space, where, orderBy: newestFirst, limit: maxRead })
  const inViews = rows.map((row) => memoryOf('utterance', row))
  const exclude = await exclusionsOf(request, [{ space, tail }], options)
  const distinct = [...new Map([...inViews, ...inTail].map((memory) => [memory.id, memory])).values()]
  return distinct
    .filter((memory) => !exclude.some((excludes) => excludes(memory)))
    .toSorted((a, b) => byTime(b, a))
    .slice(0, maxRead)
    .map((memory, at) => ({ ...memory, score: 1 / (1 + at) }))
}
