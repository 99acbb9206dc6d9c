/**
 * Everything that the gateway takes from the application: the log, the memory, and the work of the application behind
 * some routes.
 */
import type { LoomlogError } from '@loomlog/errors'
import type { Conditions } from '@loomlog/host/conditions'
import type { StaticFiles } from '@loomlog/inspector/static-files'
import type { AnswersOf } from '@loomlog/recall/answer-costs'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ForgettingActions, GenerationActions, ParkedActions, ReadAnswerText } from './application-actions.ts'
import type { GatewayLimits } from './limits.ts'
import type { GuardOptions } from './request-guards.ts'
import type { RecallRouteOptions } from './routes/serve-recall.ts'
import type { FeedRouteOptions } from './subscriptions/feed-routes.ts'

export interface GatewayOptions extends RecallRouteOptions, GuardOptions, FeedRouteOptions {
  readonly logger: Logger
  /** The certificate and its key, PEM; null: plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** The registry that GET /metrics shows; the gateway adds its own metrics. Null: there are no metrics. */
  readonly metrics: Registry | null
  /** The inspector's page and its assets, served without a key; null: none. */
  readonly inspector: StaticFiles | null
  /** The folder of this log's local files. */
  readonly dir: string
  /** LOOMLOG_WEBHOOK_KEY; null: not set. */
  readonly webhookKey: string | null
  /** Networks that webhooks may reach beside public addresses. */
  readonly webhookNetworks: readonly string[]
  /** Overrides of the default limits. */
  readonly limits: Partial<GatewayLimits>
  /** The body of GET /v1/status. */
  status(): Promise<object>
  /** Outages, and paused, frozen or stalled stages: GET /healthz lists them. */
  readonly conditions: Pick<Conditions, 'current'>
  /**
   * Gets the temporary failures behind replies with 503. The process reports a lasting one once, not for each request.
   */
  onRetryableError(error: LoomlogError): void
  /** The body of GET /v1/usage. */
  usage(tenant: string): Promise<object>
  /** The recorded answers behind a memory. */
  readonly answersOf: AnswersOf
  readonly answerText: ReadAnswerText
  readonly generations: GenerationActions
  readonly forgettings: ForgettingActions
  readonly parked: ParkedActions
}
