/**
 * Standing instructions that a model noted as facts: a person's wish how an agent shall act. One that a later statement
 * replaced, or that was retracted, is left out, and one from an utterance whose key may not instruct.
 */
import { and } from '@loomlog/views/condition'
import { type FactRow, facts as factTable, instructsAnAgent } from '@loomlog/views/tables/facts'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { memoryOf } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf, type Scope } from '../request/filter.ts'
import { newestFirst } from '../search/newest-first.ts'
import { supersededFacts } from '../search/superseded-facts.ts'
import { isForEverybody } from './instruction-rules.ts'
import type { StandingInstruction } from './standing-instructions.ts'

const maxNoted = 200

/**
 * Instructions as a model noted them, in place of those that rules found in the same utterances.
 * @param space `tenant/space`
 */
export async function withNoted(
  spoken: readonly StandingInstruction[],
  { space, scope }: { readonly space: string; readonly scope: Scope },
  { views }: Pick<RecallOptions, 'views'>,
): Promise<readonly StandingInstruction[]> {
  const where = and(conditionOf(scope), instructsAnAgent)
  const noted = await views.scan(factTable, { space, where, orderBy: newestFirst, limit: maxNoted })
  if (noted.length === 0) return spoken
  const ids = noted.map(({ id }) => id)
  const sources = await views.byIds(utteranceTable, space, [...new Set(noted.flatMap(({ sources }) => sources))])
  const unheld = new Set(sources.flatMap(({ id, canInstruct }) => (canInstruct ? [] : [id])))
  const superseded = await supersededFacts(ids, { space, asOf: scope.asOf }, views)
  const read = new Set(noted.flatMap(({ sources }) => sources))
  const current = noted.filter(({ id, sources }) => !superseded.has(id) && !sources.some((each) => unheld.has(each)))
  return [...current.map(instructionOf), ...spoken.filter(({ id }) => !read.has(id))]
}

function instructionOf(row: FactRow): StandingInstruction {
  const text = `${row.speaker}: ${row.text}`
  return { ...memoryOf('fact', row), text, score: 1, forEverybody: isForEverybody(row.text) ? text : null }
}
