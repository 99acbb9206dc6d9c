/** Recall and context over HTTP: checks the request, finds the evidence, and records the served recall. */
import type { GenerationRequest } from '@loomlog/host/generation-reader'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import type { ToolModel } from '@loomlog/models/tool-model'
import { answerFrom } from '@loomlog/recall/answer-from-evidence'
import { contextBlock } from '@loomlog/recall/context-block'
import { explain } from '@loomlog/recall/explain'
import { recall } from '@loomlog/recall/recall'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import type { RecallRecorder } from '@loomlog/recall/recall-recorder'
import { searchWithTools } from '@loomlog/recall/search-with-tools'
import { type NameOptions, type NamesOfRequest, noticesField, unknownNames } from '@loomlog/recall/unknown-names'
import type { Model } from '@loomlog/runtime/answers'
import { spaceKey } from '@loomlog/schemas/ids'
import { contextFrom, recallRequestFrom } from './recall-request.ts'

/** The live generation of a tenant, with its views and embedder. */
export interface GenerationReading extends Pick<RecallOptions, 'views' | 'embedder'> {
  /** Null: no generation is live yet, and utterances are found by their words. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
}

export interface RecallRouteOptions extends Pick<RecallOptions, 'log' | 'codec' | 'onCandidateFailure'> {
  /** Called once for each answer, so that it comes from one generation. */
  reading(tenant: string, named?: GenerationRequest | null): Promise<GenerationReading>
  /** Null: served recalls are not recorded. */
  readonly recalls: RecallRecorder | null
  /** Null: no answers in words. */
  readonly model: Model | null
  /** Null: no search with tools. */
  readonly toolModel: ToolModel | null
  /** Aborts when the caller leaves. */
  readonly signal?: AbortSignal
}

/** The space that the path names, the caller, and a check of further spaces. */
export interface RecallAddress extends SpaceAddress, Pick<NameOptions, 'spaceNames'> {
  /** The caller's name; null: no key was needed. */
  readonly caller: string | null
  /** @throws LoomlogError `not-allowed` where the caller has no access to a space */
  requireSpaces(spaces: readonly string[]): void
}

/** @throws LoomlogError `input-invalid`, with the parameter */
export async function serveRecall(
  given: unknown,
  address: RecallAddress,
  options: RecallRouteOptions,
): Promise<object> {
  const { request, wants, also, generation: wanted } = recallRequestFrom(given, address)
  address.requireSpaces(also)
  const named = wanted === null ? null : { generation: wanted, spaces: [request.space].flat() }
  const { generation, epoch, views, embedder } = await options.reading(address.tenant, named)
  const { recalls, model, toolModel, signal } = options
  const { logAway, onLogAway } = noteLogAway()
  const reading = { ...options, views, embedder, onLogAway }
  const search = { views: recall, explained: explain, tools: searchWithTools }[wants.search]
  const answer = await search(request, reading, toolModel)
  const answerField = wants.answer ? { answer: await answerFrom(request.query, answer, model, signal) } : {}
  const { query } = request
  const { caller } = address
  recalls?.record({ spaces: [request.space].flat(), query, generation, caller, result: answer, servedAt: Date.now() })
  const { items: memories, ...details } = answer
  const names = { spaces: [request.space].flat(), speakers: request.filter?.speakers ?? [] }
  const notices = await noticesOf(names, memories, { ...reading, ...address }, logAway())
  return {
    space: spaceKey(address.tenant, address.space),
    query,
    generation,
    epoch,
    ...answerField,
    memories,
    ...details,
    ...notices,
    ...logAway(),
  }
}

/** @throws LoomlogError `input-invalid`, with the parameter */
export async function serveContext(
  given: unknown,
  address: RecallAddress,
  options: RecallRouteOptions,
): Promise<object> {
  const request = contextFrom(given, address)
  const { generation, epoch, views, embedder } = await options.reading(address.tenant)
  const { logAway, onLogAway } = noteLogAway()
  const reading = { ...options, views, embedder, onLogAway }
  const block = await contextBlock(request, reading)
  const { space, query = '' } = request
  const served = { spaces: [space], query, generation, caller: address.caller, servedAt: Date.now() }
  options.recalls?.record({ ...served, result: { ...block, leftOut: [] } })
  const names = { spaces: [space], speakers: request.filter?.speakers ?? [] }
  const notices = await noticesOf(names, block.items, { ...reading, ...address }, logAway())
  return { space, generation, epoch, ...block, ...notices, ...logAway() }
}

/** The field `notices` of a reply. Without the log, a name that no view has may be in it. */
export async function noticesOf(
  names: NamesOfRequest,
  found: Parameters<typeof unknownNames>[1],
  options: NameOptions,
  { logAway }: { readonly logAway?: string },
) {
  return noticesField(logAway === undefined ? await unknownNames(names, found, options) : [])
}

/** Collects the reason for the field `logAway`, of a reply without the log. */
export function noteLogAway() {
  let reason: string | null = null
  return {
    onLogAway: (why: string) => {
      reason = why
    },
    logAway: () => (reason === null ? {} : { logAway: reason }),
  }
}
