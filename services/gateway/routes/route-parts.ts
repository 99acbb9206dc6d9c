/** The parts of the gateway that its routes share. */
import type { Intake } from '@loomlog/intake/append'
import type { FastifyReply } from 'fastify'
import type { GatewayOptions } from '../gateway-options.ts'
import type { SpaceDirectory } from '../space-directory.ts'

export interface RouteParts {
  readonly options: GatewayOptions
  readonly intake: Intake
  readonly directory: SpaceDirectory
  /** Runs a read in a slot. Its signal aborts when the caller leaves, or when the read takes too long. */
  read<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Aborts when the caller leaves before the reply is sent. */
  departureOf(reply: FastifyReply): AbortSignal
  /**
   * Waits for an append for a bounded time.
   * @throws LoomlogError `log-unavailable` after that; the outcome is then unknown
   */
  awaitAppend<T>(request: object, work: Promise<T>): Promise<T>
  /** The same for a write that may have a further effect if it is repeated: the error asks to look first. */
  awaitChange<T>(work: Promise<T>): Promise<T>
}

export type SpaceParams = { Params: { space: string } }
export type MemoryParams = { Params: { space: string; id: string } }
