import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ModelUnavailable } from '../unavailable.ts'
import { openAiModel } from './chat.ts'

const question = { prompt: 'Is it so?', input: 'yes', schema: { type: 'boolean' }, schemaName: 'so' }
/** No server has this name: only the proxy is asked for it. */
const endpoint = { baseUrl: 'http://model.invalid/v1', apiKey: 'k', model: 'fake' }

test('a call goes through the proxy of the environment where Node may use it, and else not', async (t) => {
  const proxy = await openProxy(t)
  setVariables(t, { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: undefined })
  await assert.rejects(openAiModel(endpoint).answer(question), ModelUnavailable)
  assert.deepEqual(proxy.targets, [])
  setVariables(t, { NODE_USE_ENV_PROXY: '1' })
  await assert.rejects(openAiModel(endpoint).answer(question), ModelUnavailable)
  assert.match(proxy.targets.join(), /model\.invalid/)
})

async function openProxy(t: TestContext) {
  const targets: string[] = []
  const server = createServer((request, response) => {
    targets.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  })
  server.on('connect', ({ method, url }, socket) => {
    targets.push(`${method} ${url}`)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { targets, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function setVariables(t: TestContext, variables: { readonly [name: string]: string | undefined }): void {
  for (const [name, value] of Object.entries(variables)) {
    const { [name]: before } = process.env
    assign(name, value)
    t.after(() => assign(name, before))
  }
}

function assign(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
