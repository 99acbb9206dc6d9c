/** A request for a new generation: settings and spaces, and the generation that they give. */
import { LoomlogError } from '@loomlog/errors'
import { covers, type DerivationScope, formatScope } from '@loomlog/generations/derivation-scope'
import { findGeneration } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import { settingsFrom } from '@loomlog/generations/settings'
import { planSuccessor, type Successor } from '@loomlog/generations/successor'
import { type EmbeddingParts, missingEmbedderReason } from '@loomlog/host/missing-embedder'
import type { Host } from '@loomlog/host/open'
import { configuredChoices } from '@loomlog/host/stage'
import type { Processor } from '@loomlog/runtime/processor'
import { processorsOf } from '../processors.ts'
import { checkSpaces, spacesWithUtterances } from '../spaces.ts'

export interface GenerationRequest {
  /** Each KEY=VALUE. */
  readonly set: readonly string[]
  /** Reads the prompt file that a setting names. */
  readPrompt(file: string): string
  /** The generation to start from; default: the live one, of the tenant if one is named. */
  readonly from: string | null
  readonly tenant: string | null
  /** A share of the spaces, drawn by the seed. */
  readonly sample: { readonly share: number; readonly seed: number } | null
  /** `tenant/space` */
  readonly spaces: readonly string[]
}

export interface PlannedRequest {
  readonly base: Generation
  readonly scope: DerivationScope
  readonly successor: Successor
}

/** @throws LoomlogError `input-invalid`, `not-found`, `config-invalid` where this process lacks the embedder */
export async function planRequest(request: GenerationRequest, host: Host, known: Generations): Promise<PlannedRequest> {
  const base = baseOf(request, known)
  const scope = scopeOf(request)
  if (typeof scope === 'object') await refuseWithoutUtterances(scope, host)
  const processors = processorsOf(host)
  const settings = request.set.flatMap((text) => settingsFrom(text, processors, request.readPrompt))
  const defaults = (processor: Processor) => configuredChoices(host, processor)
  const successor = planSuccessor({ known, base, processors, defaults, settings, scope })
  refuseWithoutEmbedder(host, successor.plan)
  return { base, scope, successor }
}

/** Without its embedder a part would be frozen, and never complete. @throws LoomlogError `config-invalid` */
export function refuseWithoutEmbedder(host: Host, parts: EmbeddingParts): void {
  const reason = missingEmbedderReason(host, parts)
  if (reason !== null) throw new LoomlogError('config-invalid', reason)
}

function baseOf({ from, tenant }: GenerationRequest, known: Generations): Generation {
  if (from !== null) return findGeneration(known, from)
  const live = known.generations.get(liveGeneration(known, tenant)?.generation ?? '')
  if (live) return live
  throw new LoomlogError(
    'not-found',
    'there is no live generation to start from: loomlog init, ingest or up creates the first',
  )
}

function scopeOf({ tenant, sample, spaces }: GenerationRequest): DerivationScope {
  const given = [tenant !== null, sample !== null, spaces.length > 0].filter((each) => each)
  if (given.length > 1)
    throw new LoomlogError('input-invalid', 'expected one of --tenant, --sample and --spaces at most')
  if (tenant !== null) return { tenant }
  if (sample !== null) return sample
  if (spaces.length === 0) return 'all'
  return { spaces: [...new Set(spaces)].sort() }
}

/** A mistyped name would derive nothing, without an error. @throws LoomlogError */
async function refuseWithoutUtterances(scope: Exclude<DerivationScope, 'all'>, host: Host): Promise<void> {
  const all = await spacesWithUtterances(host)
  if ('spaces' in scope) checkSpaces('--spaces', scope.spaces, all)
  if (all.some((space) => covers(scope, space))) return
  throw new LoomlogError('not-found', `${formatScope(scope)}: there are no utterances in any of them`)
}
