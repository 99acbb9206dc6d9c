/** The sides of the comparison besides the bare loop: loomlog's intake, its gateway, and the bare loop behind the same HTTP server. */

import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAccess } from '@loomlog/access/caller'
import { createGateway } from '@loomlog/gateway/gateway'
import { noStages } from '@loomlog/gateway/no-stages'
import { Intake, type IntakeOptions } from '@loomlog/intake/append'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import Fastify, { type FastifyInstance } from 'fastify'
import pino from 'pino'
import type { Side } from './floors/bare-loop.ts'

/** A side that takes several utterances in one request. */
export interface BatchSide extends Side {
  /** They are of one space. */
  appendAll(utterances: readonly UtteranceAppended[]): Promise<void>
}

export function intakeSide(options: IntakeOptions): BatchSide {
  const batches: number[] = []
  const intake = new Intake({ ...options, log: counted(options, batches) })
  return {
    batches,
    append: async (utterance) => void (await intake.append([utterance])),
    appendAll: async (utterances) => void (await intake.append(utterances)),
    close: () => intake.close(),
  }
}

export async function gatewaySide(options: IntakeOptions): Promise<BatchSide> {
  const batches: number[] = []
  const app = createGateway({
    ...noStages,
    ...options,
    log: counted(options, batches),
    limits: {},
    webhookKey: null,
    webhookNetworks: [],
    partitions: 1,
    hostNames: [],
    logger: pino({ level: 'silent' }),
    reading: () => Promise.reject(new Error('this gateway only appends')),
    status: async () => ({}),
    conditions: { current: new Map() },
    onTrouble: () => {},
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

/** The least that an HTTP server does: it parses the body, and answers when the bare loop has written the record. */
export async function bareHttpSide(bare: Side): Promise<Side> {
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

async function overHttp(app: FastifyInstance, batches: readonly number[]): Promise<BatchSide> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  return {
    batches,
    append: (utterance) => posted(agent, port, utterance, bodyOf(utterance)),
    appendAll: (utterances) => posted(agent, port, utterances[0] as UtteranceAppended, utterances.map(bodyOf)),
    async close() {
      agent.destroy()
      await app.close()
    },
  }
}

function counted({ log }: IntakeOptions, batches: number[]): IntakeOptions['log'] {
  const append: typeof log.append = (topic, records) => {
    batches.push(records.length)
    return log.append(topic, records)
  }
  return { ...log, append }
}

function bodyOf({ id, conversation, speaker, role, text, at }: UtteranceAppended): object {
  return { id, conversation, speaker, role, text, at: new Date(at).toISOString() }
}

function posted(
  agent: Agent,
  port: number,
  { tenant, space }: Pick<UtteranceAppended, 'tenant' | 'space'>,
  json: object,
): Promise<void> {
  const body = JSON.stringify(json)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-loomlog-tenant': tenant,
  }
  const path = `/v1/spaces/${space}/utterances`
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, path, method: 'POST', headers, host: '127.0.0.1' }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 201) resolve()
        else reject(new Error(`an append was answered with ${response.statusCode}`))
      })
    })
    sent.once('error', reject).end(body)
  })
}
