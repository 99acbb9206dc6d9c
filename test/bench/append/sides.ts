/**
 * The sides of the comparison: the bare loop, loomlog's intake, its gateway, and the bare loop behind a minimal HTTP
 * server.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openAccess } from '@loomlog/access/caller'
import { applicationWithoutStages } from '@loomlog/gateway/application-without-stages'
import { createGateway } from '@loomlog/gateway/gateway'
import { Intake, type IntakeOptions } from '@loomlog/intake/append'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import Fastify, { type FastifyInstance } from 'fastify'
import pino from 'pino'
import type { LoopResult } from './closed-loop.ts'
import type { BareLoop } from './floors/bare-loop.ts'
import { type Load, sendLoad } from './load.ts'

export interface Side {
  /** Records by durable write so far. */
  readonly batches: readonly number[]
  /** Sends the load, and waits for every acknowledgement. */
  measure(load: Load): Promise<LoopResult>
  close(): Promise<void>
}

export function bareSide(bare: BareLoop): Side {
  const { batches, append, close } = bare
  const send = async (batch: readonly UtteranceAppended[]) => void (await Promise.all(batch.map(append)))
  return { batches, measure: (load) => sendLoad(load, send), close }
}

export function intakeSide(options: IntakeOptions): Side {
  const batches: number[] = []
  const intake = new Intake({ ...options, log: countBatches(options, batches) })
  return {
    batches,
    measure: (load) => sendLoad(load, async (batch) => void (await intake.append(batch))),
    close: () => intake.close(),
  }
}

export async function gatewaySide(options: IntakeOptions): Promise<Side> {
  const batches: number[] = []
  const app = createGateway({
    ...applicationWithoutStages,
    ...options,
    log: countBatches(options, batches),
    limits: {},
    webhookKey: null,
    webhookNetworks: [],
    partitions: 1,
    hostNames: [],
    logger: pino({ level: 'silent' }),
    reading: () => Promise.reject(new Error('this gateway only appends')),
    status: async () => ({}),
    conditions: { current: new Map() },
    onRetryableError: () => {},
    usage: async () => ({}),
    recalls: null,
    access: openAccess,
    tls: null,
    metrics: null,
    model: null,
    toolModel: null,
  })
  return await overHttp(app, batches)
}

/** A minimal HTTP server: it parses the body, and replies when the bare loop has written the record. */
export async function bareHttpSide(bare: BareLoop): Promise<Side> {
  const app = Fastify({ logger: false })
  app.post<{ Params: { space: string }; Body: UtteranceAppended & { at: string } }>(
    '/v1/spaces/:space/utterances',
    async ({ params, body, headers }, reply) => {
      const tenant = String(headers['x-loomlog-tenant'])
      await bare.append({ ...bareUtterance, ...body, tenant, space: params.space, at: Date.parse(body.at) })
      return reply.code(201).send({ ids: [body.id], appended: 1, known: 0 })
    },
  )
  return await overHttp(app, bare.batches)
}

const bareUtterance = {
  type: 'UtteranceAppended',
  attachments: [],
  metadata: {},
  appendedAt: Date.now(),
} as const

/** Serves the app to clients in another process: in this one they would take half of the server's thread. */
async function overHttp(app: FastifyInstance, batches: readonly number[]): Promise<Side> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const client = fork(new URL('./http-client.ts', import.meta.url), [String(port)])
  const ended = once(client, 'exit').then(([code]) => `the client process ended with ${code}`)
  return {
    batches,
    async measure(load) {
      const answer = once(client, 'message').then(([result]) => result as LoopResult | string)
      client.send(load)
      const result = await Promise.race([answer, ended])
      if (typeof result === 'string') throw new Error(result)
      return result
    },
    async close() {
      client.kill()
      await app.close()
    },
  }
}

function countBatches({ log }: IntakeOptions, batches: number[]): IntakeOptions['log'] {
  const append: typeof log.append = (topic, records) => {
    batches.push(records.length)
    return log.append(topic, records)
  }
  return { ...log, append }
}
