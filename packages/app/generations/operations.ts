/** The operations on generations. Here they work on this process's log; the command line also has them over HTTP. */
import type { Host } from '@loomlog/host/open'
import { type Comparison, type ComparisonRequest, compareGenerations } from './comparison.ts'
import { type EstimatedPlan, planWithCost, type StartedGeneration, type StartRequest, startBy } from './definition.ts'
import {
  type GenerationDetails,
  type GenerationList,
  generationDetails,
  listGenerations,
} from './generation-progress.ts'
import {
  type ChangedGeneration,
  type LiveGeneration,
  moveGeneration,
  promote,
  rollBack,
  type StatusMove,
} from './promotion.ts'
import type { GenerationRequest } from './request.ts'
import { type Collection, collectRetired, type RetiredGeneration, retire } from './retirement.ts'

/** A generation is named by its id, the start of it, its name, or `live`. */
export interface GenerationOperations {
  list(): Promise<GenerationList>
  details(generation: string): Promise<GenerationDetails>
  plan(request: GenerationRequest): Promise<EstimatedPlan>
  start(request: StartRequest): Promise<StartedGeneration>
  move(generation: string, move: StatusMove): Promise<ChangedGeneration>
  promote(generation: string, tenant: string | null): Promise<LiveGeneration>
  rollBack(tenant: string | null, ifBehind: 'refuse' | 'roll back'): Promise<LiveGeneration>
  retire(generation: string, mode: 'retire' | 'list'): Promise<RetiredGeneration>
  collect(mode: 'remove' | 'list'): Promise<Collection>
  compare(request: ComparisonRequest): Promise<Comparison>
}

export function generationOperations(host: Host): GenerationOperations {
  return {
    list: () => listGenerations(host),
    details: (generation) => generationDetails(generation, host),
    plan: (request) => planWithCost(request, host),
    start: (request) => startBy(request, host),
    move: (generation, move) => moveGeneration(generation, move, host),
    promote: (generation, tenant) => promote(generation, tenant, host),
    rollBack: (tenant, ifBehind) => rollBack(tenant, ifBehind, host),
    retire: (generation, mode) => retire(generation, mode, host),
    collect: (mode) => collectRetired(mode, host),
    compare: (request) => compareGenerations(request, host),
  }
}
