/**
 * The actions of the application behind the routes of generations and parked inputs. Replies are sent as they are.
 */
import type { ForgettingRequest } from '@loomlog/forgetting/selection'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import type { ViewReader } from '@loomlog/views/reader'

/** Performed by the application. A generation is named by its id, the start of it, its name, or `live`. */
export interface GenerationActions {
  list(): Promise<{ readonly generations: readonly ListedGeneration[] }>
  details(generation: string): Promise<object>
  plan(request: SettingsBody & { readPrompt(name: string): string }): Promise<object>
  start(request: StartBody & { readPrompt(name: string): string; readonly derivedBy: 'servers' }): Promise<object>
  applyStatusAction(generation: string, action: 'pause' | 'resume' | 'cancel'): Promise<object>
  promote(generation: string, options: PromotionOptions): Promise<object>
  rollBack(options: PromotionOptions): Promise<object>
  retire(generation: string, mode: 'retire' | 'list'): Promise<object>
  collect(mode: 'remove' | 'list'): Promise<object>
  compare(request: CompareBody): Promise<object>
}

interface PromotionOptions {
  /** Null: everyone. */
  readonly tenant: string | null
  readonly checks: 'apply' | 'skip'
}

interface ListedGeneration {
  readonly id: string
  /** Log time, in ms. */
  readonly definedAt: number
}

export interface SettingsBody {
  readonly set: readonly string[]
  readonly from: string | null
  readonly tenant: string | null
  readonly sample: { readonly share: number; readonly seed: number } | null
  readonly spaces: readonly string[]
}
export interface StartBody extends SettingsBody {
  readonly generation: string | null
  readonly name: string | null
  readonly share: number | null
}
export interface PromptTexts {
  readonly prompts: { readonly [name: string]: string }
}
export interface CompareBody {
  readonly before: string
  readonly after: string
  readonly spaces: readonly string[]
  readonly questions:
    | readonly { readonly space: string; readonly question: string; readonly evidence: readonly string[] }[]
    | null
  readonly limit: number
}

/** Performed by the application. Replies are sent as they are. */
export interface ForgettingActions {
  /** @throws LoomlogError `generation-refused` where a derivation would keep what is to be forgotten */
  request(request: ForgettingRequest, origin: RequestedForgetting): Promise<{ readonly id: string | null }>
  /** @throws LoomlogError `not-found` */
  read(id: string, address: SpaceAddress): Promise<object>
}

interface RequestedForgetting extends SpaceAddress {
  readonly principal: string | null
  readonly views: ViewReader
}

/** An answer with the text of its prompt. @throws LoomlogError `not-found` also for an answer of another space */
export type ReadAnswerText = (key: string, address: SpaceAddress) => Promise<object>

/** Performed by the application. @throws LoomlogError `not-found` also for inputs of another tenant */
export interface ParkedActions {
  list(tenant: string): Promise<readonly { readonly id: string; readonly at: number }[]>
  details(id: string, tenant: string): Promise<object>
  retry(id: string, tenant: string, by: string): Promise<object>
}
