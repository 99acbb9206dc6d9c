/**
 * Consolidates a batch: one plan for its facts, the entries of each fact in turn, the descriptions of the changed documents, and last the
 * event that measures the preservation.
 */

import type { Effects } from '@loomlog/runtime/step'
import type { BatchEnd } from '@loomlog/schemas/events'
import { takeBatch } from './batch.ts'
import type { Changes } from './changes.ts'
import { describeChanged } from './descriptions.ts'
import { type RecordParameters, recordFact } from './fact-entry.ts'
import { planFor } from './plan.ts'
import { planAskFor } from './plan-ask.ts'
import { preservationOf } from './preservation.ts'

export function* consolidate(changes: Changes, closedBy: BatchEnd, parameters: RecordParameters): Effects<void> {
  const facts = yield* takeBatch()
  const plan = yield* planFor(yield* planAskFor(facts, parameters))
  const opened = new Map<string, string>()
  let refusedMerges = 0
  for (const fact of facts) {
    refusedMerges += yield* recordFact(
      changes,
      fact,
      { guidance: plan.guidance.get(fact.id) ?? null, opened },
      parameters,
    )
  }
  const summaries = new Map([...plan.summaries].map(([key, summary]) => [opened.get(key) ?? key, summary]))
  const refusedSummaries = yield* describeChanged(changes, plan.asked === 0 ? null : { ...plan, summaries })
  const { by: method, completions } = plan.decided
  const measured = yield* preservationOf(changes, facts)
  changes.drafts.push({
    type: 'BatchConsolidated',
    facts: facts.map(({ id }) => id),
    closedBy,
    plans: plan.asked,
    refused: plan.refused + refusedMerges + refusedSummaries,
    ...measured,
    origin: { method, completions, causes: [] },
  })
}
