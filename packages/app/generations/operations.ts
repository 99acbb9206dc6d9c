/** The operations on generations. Here they work on this process's log; the command line also has them over HTTP. */
import type { Host } from '@loomlog/host/open'
import { type Comparison, type ComparisonRequest, compareGenerations } from './comparison.ts'
import {
  type EstimatedPlan,
  planWithCost,
  type StartedGeneration,
  type StartRequest,
  startFromRequest,
} from './definition.ts'
import {
  type GenerationDetails,
  type GenerationList,
  generationDetails,
  listGenerations,
} from './generation-progress.ts'
import {
  applyStatusAction,
  type ChangedGeneration,
  type PromotionOptions,
  type PromotionResult,
  promote,
  rollBack,
  type StatusAction,
} from './promotion.ts'
import type { GenerationRequest } from './request.ts'
import { collectRetired, type GarbageCollection, type RetiredGeneration, retire } from './retirement.ts'

/** A generation is named by its id, the start of it, its name, or `live`. */
export interface GenerationOperations {
  list(): Promise<GenerationList>
  details(generation: string): Promise<GenerationDetails>
  plan(request: GenerationRequest): Promise<EstimatedPlan>
  start(request: StartRequest): Promise<StartedGeneration>
  applyStatusAction(generation: string, action: StatusAction): Promise<ChangedGeneration>
  promote(generation: string, options: PromotionOptions): Promise<PromotionResult>
  rollBack(options: PromotionOptions): Promise<PromotionResult>
  retire(generation: string, mode: 'retire' | 'list'): Promise<RetiredGeneration>
  collect(mode: 'remove' | 'list'): Promise<GarbageCollection>
  compare(request: ComparisonRequest): Promise<Comparison>
}

export function generationOperations(host: Host): GenerationOperations {
  return {
    list: () => listGenerations(host),
    details: (generation) => generationDetails(generation, host),
    plan: (request) => planWithCost(request, host),
    start: (request) => startFromRequest(request, host),
    applyStatusAction: (generation, action) => applyStatusAction(generation, action, host),
    promote: (generation, options) => promote(generation, options, host),
    rollBack: (options) => rollBack(options, host),
    retire: (generation, mode) => retire(generation, mode, host),
    collect: (mode) => collectRetired(mode, host),
    compare: (request) => compareGenerations(request, host),
  }
}
