/**
 * A server under random requests from its OpenAPI document, of two tenants whose names and spaces are equal when
 * joined. No request fails the server or hangs, every success fits its schema, and no reply shows anything of the other
 * tenant.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiDocument, apiRequests } from './api-requests.ts'
import { fuzzApi, plantCanaries, type Send } from './api-run.ts'
import { Instance } from './instance.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

const count = 20_000

export const apiFuzzing: Scenario = {
  name: 'api-fuzz',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: `${count} random requests from the OpenAPI document; no 500, no hang, nothing of another tenant`,
  async run(setting) {
    const dir = await mkdtemp(join(tmpdir(), 'loomlog-api-fuzz-'))
    const instance = new Instance(dir, setting.log)
    try {
      instance.start()
      return await fuzzInstance(instance, setting)
    } finally {
      await instance.end('SIGKILL')
      await rm(dir, { recursive: true })
    }
  },
}

async function fuzzInstance(instance: Instance, { random, say }: Setting): Promise<Verdict> {
  const url = await instance.url()
  const send: Send = async ({ method, path, tenant, mediaType, body }) => {
    const headers = { 'x-loomlog-tenant': tenant, ...(mediaType !== null && { 'content-type': mediaType }) }
    const reply = await fetch(`${url}${path}`, { method, headers, body })
    return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() }
  }
  await plantCanaries(send)
  const document: ApiDocument = JSON.parse(await (await fetch(`${url}/openapi.json`)).text())
  const seed = Math.floor(random() * 2 ** 31)
  const fuzzed = await fuzzApi(apiRequests(document, { seed, count }), document, send)
  say(`seed ${seed}: ${JSON.stringify(fuzzed.statuses)}`)
  const isAlive = (await fetch(`${url}/healthz`)).status === 200
  const ok = fuzzed.broken.length === 0 && isAlive && instance.ended.length === 0
  return { isKept: ok, details: { seed, ...fuzzed, ended: instance.ended } }
}
