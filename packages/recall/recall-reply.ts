/**
 * The replies of recall, context and tools: the result, the generation that was read, and notices. A served recall is
 * recorded.
 */
import type { ToolModel } from '@loomlog/models/tool-model'
import type { Model } from '@loomlog/runtime/answers'
import { type AgenticResult, searchWithTools } from './agentic/search-with-tools.ts'
import { answerFrom, type CitedAnswer } from './answer-from-evidence.ts'
import { type ContextBlock, type ContextRequest, contextBlock } from './context/context-block.ts'
import { type ExplainedRecall, explain } from './explain.ts'
import { recall } from './recall.ts'
import type { RecallOptions } from './recall-options.ts'
import type { RecallRecorder } from './recall-recorder.ts'
import type { Evidence, RecallResult } from './recall-result.ts'
import type { ParsedRecall } from './request/recall-body.ts'
import { type NameOptions, type NamesOfRequest, noticesField, unknownNames } from './search/unknown-names.ts'
import type { ToolResult } from './tools/tool.ts'
import { runTool } from './tools/tools.ts'

/** The generation that a reply comes from. */
export interface GenerationRead {
  /** Null: no generation is live yet, and utterances are found by their words. */
  readonly generation: string | null
  /** Rises with every change of the live generation. */
  readonly epoch: number
}

/** One generation, with its views and embedder. */
export interface GenerationReading extends GenerationRead, Pick<RecallOptions, 'views' | 'embedder'> {}

export interface ReplyOptions
  extends GenerationReading,
    Pick<RecallOptions, 'log' | 'codec' | 'onCandidateFailure' | 'signal'>,
    Pick<NameOptions, 'spaceNames'> {
  /** Null: served recalls are not recorded. */
  readonly recalls: RecallRecorder | null
  /** Null: no answers in words. */
  readonly model: Model | null
  /** Null: no search with tools. */
  readonly toolModel: ToolModel | null
  /** The caller's name; null: no key was needed. */
  readonly caller: string | null
}

interface ReplyFields extends GenerationRead {
  /** Names that the memory doesn't have; present only if there are any. */
  readonly notices?: readonly string[]
  /** Why the log could not be read. */
  readonly logAway?: string
}

type RecallDetails = Omit<RecallResult, 'items'> &
  Partial<Omit<ExplainedRecall, keyof RecallResult> & Omit<AgenticResult, keyof RecallResult>>

export interface RecallReply extends RecallDetails, ReplyFields {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** Present if it was asked for. */
  readonly answer?: CitedAnswer
  readonly memories: readonly Evidence[]
}

export interface ContextReply extends ContextBlock, ReplyFields {
  /** `tenant/space` */
  readonly space: string
}

export type ToolReply = ToolResult & ReplyFields

/** @throws LoomlogError as `recall()` */
export async function recallReply({ request, wants }: ParsedRecall, options: ReplyOptions): Promise<RecallReply> {
  const { recalls, model, toolModel, signal, generation, epoch, caller } = options
  const { logAway, onLogAway } = noteLogAway()
  const reading = { ...options, onLogAway }
  const search = { views: recall, explained: explain, tools: searchWithTools }[wants.search]
  const result = await search(request, reading, toolModel)
  const { query } = request
  const answerField = wants.answer ? { answer: await answerFrom(query, result, model, signal) } : {}
  const spaces = [request.space].flat()
  recalls?.record({ spaces, query, generation, caller, result, servedAt: Date.now() })
  const { items: memories, ...details } = result
  const names = { spaces, speakers: request.filter?.speakers ?? [] }
  const notices = await noticesOf(names, memories, reading, logAway())
  const [space = ''] = spaces
  return { space, query, generation, epoch, ...answerField, memories, ...details, ...notices, ...logAway() }
}

/** @throws LoomlogError as `contextBlock()` */
export async function contextReply(request: ContextRequest, options: ReplyOptions): Promise<ContextReply> {
  const { recalls, generation, epoch, caller } = options
  const { logAway, onLogAway } = noteLogAway()
  const reading = { ...options, onLogAway }
  const block = await contextBlock(request, reading)
  const { space, query = '' } = request
  const result = { ...block, leftOut: [] }
  recalls?.record({ spaces: [space], query, generation, caller, result, servedAt: Date.now() })
  const names = { spaces: [space], speakers: request.filter?.speakers ?? [] }
  const notices = await noticesOf(names, block.items, reading, logAway())
  return { space, generation, epoch, ...block, ...notices, ...logAway() }
}

/** @param space `tenant/space` @throws LoomlogError as `runTool()` */
export async function toolReply(
  { name, input, space }: { readonly name: string; readonly input: unknown; readonly space: string },
  options: Pick<ReplyOptions, 'log' | 'codec' | 'views' | 'spaceNames' | keyof GenerationRead>,
): Promise<ToolReply> {
  const { generation, epoch } = options
  const { logAway, onLogAway } = noteLogAway()
  const place = { ...options, space, onLogAway }
  const result = await runTool(name, input, place)
  const names = { spaces: result.lines.length === 0 ? [space] : [], speakers: [] }
  const notices = await noticesOf(names, [], place, logAway())
  return { ...result, generation, epoch, ...notices, ...logAway() }
}

/** The field `notices` of a reply. Without the log, a name that no view has may be in it. */
async function noticesOf(
  names: NamesOfRequest,
  found: Parameters<typeof unknownNames>[1],
  options: NameOptions,
  { logAway }: { readonly logAway?: string },
) {
  return noticesField(logAway === undefined ? await unknownNames(names, found, options) : [])
}

/** Collects the reason for the field `logAway`, of a reply without the log. */
function noteLogAway() {
  let reason: string | null = null
  return {
    onLogAway: (why: string) => {
      reason = why
    },
    logAway: () => (reason === null ? {} : { logAway: reason }),
  }
}
