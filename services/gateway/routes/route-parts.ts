/** The parts of the gateway that its routes share. */
import type { Intake } from '@loomlog/intake/append'
import type { FastifyReply } from 'fastify'
import type { AppendDeadline } from '../append-deadline.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import type { SpaceDirectory } from '../space-directory.ts'

export interface RouteParts {
  readonly options: GatewayOptions
  readonly intake: Intake
  readonly directory: SpaceDirectory
  /** Bounds the wait for a write. */
  readonly deadline: Pick<AppendDeadline, 'append' | 'change'>
  /** Runs a read in a slot. Its signal aborts when the caller leaves, or when the read takes too long. */
  read<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

export type SpaceParams = { Params: { space: string } }
export type MemoryParams = { Params: { space: string; id: string } }
