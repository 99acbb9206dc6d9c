/**
 * The clients of an HTTP side, in a process of their own. It is forked with a port, and answers each load with its
 * result.
 */
import { Agent, request } from 'node:http'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { type Load, sendLoad } from './load.ts'

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true })

process.on('message', async (load: Load) => {
  const result = await sendLoad(load, (batch) => post(batch, load.request)).catch((error: Error) => error.message)
  process.send?.(result)
})

function post(batch: readonly UtteranceAppended[], kind: Load['request']): Promise<void> {
  const { tenant, space } = batch[0] as UtteranceAppended
  const bodies = batch.map(bodyOf)
  const body = JSON.stringify(kind === 'one' ? bodies[0] : bodies)
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

function bodyOf({ id, conversation, speaker, role, text, at }: UtteranceAppended): object {
  return { id, conversation, speaker, role, text, at: new Date(at).toISOString() }
}
