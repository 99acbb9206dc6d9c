/**
 * Consolidates a batch: one plan for its facts, the entries of each fact in turn, the other rows of the plan, the
 * descriptions of the changed documents, and last the event that measures the preservation.
 */

import { type Effects, get, isAskedOfModel } from '@loomlog/runtime/step'
import type { BatchEnd } from '@loomlog/schemas/events'
import { takeBatch } from './batch.ts'
import type { Changes } from './changes.ts'
import { describeChanged } from './documents/descriptions.ts'
import { type OpenedDocuments, openedBefore } from './documents/planned-placement.ts'
import { shelve } from './plan/catalogue.ts'
import { namedEntries } from './plan/guidance.ts'
import { type Plan, planFor } from './plan/plan.ts'
import { type AskParameters, type PlanAsk, planAskFor } from './plan/plan-ask.ts'
import { revise } from './plan/revisions.ts'
import { endByPlan } from './record/endings.ts'
import { type RecordParameters, recordFact } from './record/fact-entry.ts'
import { preservationOf } from './record/preservation.ts'
import { currentPlace, documents, type Fact, placedFacts } from './state.ts'
import { consolidateBatch } from './tasks.ts'

export type ConsolidationParameters = RecordParameters & AskParameters

export function* consolidate(changes: Changes, closedBy: BatchEnd, parameters: ConsolidationParameters): Effects<void> {
  const facts = yield* takeBatch()
  const planAsk = (yield* isAskedOfModel(consolidateBatch)) ? yield* planAskFor(facts, parameters) : null
  const plan = planAsk && (yield* planFor(planAsk))
  const followed = planAsk && plan?.guidance ? yield* follow(changes, { planAsk, plan }, parameters) : null
  if (followed === null) for (const fact of facts) yield* recordFact(changes, fact, rulesAlone, parameters)
  yield* describeChanged(changes)
  const measured = yield* preservationOf(changes, facts)
  const { by: method, completions } = plan?.decided ?? { by: 'rules', completions: [] }
  changes.drafts.push({
    type: 'BatchConsolidated',
    facts: facts.map(({ id }) => id),
    closedBy,
    plans: plan?.asked ?? 0,
    refused: (plan?.refused ?? 0) + (followed?.refused ?? 0),
    ...measured,
    contradictions: measured.contradictions + (followed?.contradictions ?? 0),
    origin: { method, completions, causes: [] },
  })
}

const rulesAlone = { guidance: null, opened: new Map() }

interface BatchOutcome {
  readonly refused: number
  /** Pairs that the plan reports. */
  readonly contradictions: number
}

function* follow(
  changes: Changes,
  { planAsk, plan }: { readonly planAsk: PlanAsk; readonly plan: Plan },
  parameters: ConsolidationParameters,
): Effects<BatchOutcome> {
  const opened = yield* openedBefore(plan.rows.opens, new Set(planAsk.documents.values()))
  let refused = 0
  for (const fact of planAsk.facts) {
    const guidance = plan.guidance?.get(fact.id) ?? null
    refused += yield* recordFact(changes, fact, { guidance, opened }, parameters)
  }
  for (const { fact, ends } of plan.lateEnds) {
    const by = yield* placeOf(fact)
    const named = yield* namedEntries(ends)
    if (by !== null) refused += yield* endByPlan(changes, { fact, ends: named, by, decided: plan.decided })
  }
  const revised = yield* revise(changes, { planAsk, plan, opened }, parameters)
  yield* shelveChanged(changes, opened)
  return { refused: refused + revised.refused, contradictions: revised.contradictions }
}

function* placeOf({ id }: Fact) {
  const placed = yield* get(placedFacts, id)
  if (placed === null || placed === 'retracted') return null
  const twin = placed.twin && (yield* currentPlace(placed.twin))
  return { place: yield* currentPlace(placed.place), twin }
}

function* shelveChanged({ changed }: Changes, opened: OpenedDocuments): Effects<void> {
  const topics: string[] = []
  for (const id of new Set([...opened.values(), ...changed])) {
    if ((yield* get(documents, id))?.kind === 'topic') topics.push(id)
  }
  yield* shelve(topics)
}
