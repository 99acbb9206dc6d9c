/** Recall and context over HTTP: checks the request and the caller's access, and replies from one generation. */
import type { GenerationRequest } from '@loomlog/host/generation-reader'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { contextFrom, recallRequestFrom } from '@loomlog/recall/recall-body'
import {
  type ContextReply,
  contextReply,
  type GenerationReading,
  type RecallReply,
  type ReplyOptions,
  recallReply,
} from '@loomlog/recall/recall-reply'

export interface RecallRouteOptions extends Omit<ReplyOptions, keyof GenerationReading | 'spaceNames' | 'caller'> {
  /** Called once for each answer, so that it comes from one generation. */
  reading(tenant: string, named?: GenerationRequest | null): Promise<GenerationReading>
}

/** The space that the path names, the caller, and a check of further spaces. */
export interface RecallAddress extends SpaceAddress, Pick<ReplyOptions, 'spaceNames' | 'caller'> {
  /** @throws LoomlogError `not-allowed` where the caller has no access to a space */
  requireSpaces(spaces: readonly string[]): void
}

/** @throws LoomlogError `input-invalid`, with the parameter */
export async function serveRecall(
  given: unknown,
  address: RecallAddress,
  options: RecallRouteOptions,
): Promise<RecallReply> {
  const parsed = recallRequestFrom(given, address)
  address.requireSpaces(parsed.also)
  const named =
    parsed.generation === null ? null : { generation: parsed.generation, spaces: [parsed.request.space].flat() }
  const reading = await options.reading(address.tenant, named)
  return recallReply(parsed, { ...options, ...address, ...reading })
}

/** @throws LoomlogError `input-invalid`, with the parameter */
export async function serveContext(
  given: unknown,
  address: RecallAddress,
  options: RecallRouteOptions,
): Promise<ContextReply> {
  const request = contextFrom(given, address)
  const reading = await options.reading(address.tenant)
  return contextReply(request, { ...options, ...address, ...reading })
}
