/** Runs the consolidator over the facts with each plan, and the checks over its events and their mutants. */
import { consolidator } from '@loomlog/consolidator/processor'
import { harness } from '@loomlog/runtime/harness'
import type { BatchConsolidated, DerivedEvent } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { faultsOf } from './checks.ts'
import { factHistory, goodPlan } from './facts.ts'
import { faultyPlans, mutants } from './mutants.ts'

interface Measurement {
  readonly batches: number
  readonly asked: number
  readonly refused: number
  readonly contradictions: number
  readonly faults: readonly string[]
}

export async function measure() {
  const good = await consolidate(goodPlan)
  const plans: Record<string, Measurement> = {}
  for (const [name, plan] of Object.entries(faultyPlans)) plans[name] = measurementOf(await consolidate(plan))
  const found = Object.fromEntries(Object.entries(mutants).map(([name, mutate]) => [name, faultsOf(mutate(good))]))
  return { memory: measurementOf(good), plans, found }
}

async function consolidate(plan: (input: Json) => Json): Promise<readonly DerivedEvent[]> {
  return harness(consolidator, { answers: { 'consolidate-batch': plan } }).give(...factHistory())
}

function measurementOf(events: readonly DerivedEvent[]): Measurement {
  const batches = events.filter((event): event is BatchConsolidated => event.type === 'BatchConsolidated')
  const sum = (of: 'plans' | 'refused' | 'contradictions') => batches.reduce((total, batch) => total + batch[of], 0)
  return {
    batches: batches.length,
    asked: sum('plans'),
    refused: sum('refused'),
    contradictions: sum('contradictions'),
    faults: faultsOf(events),
  }
}
