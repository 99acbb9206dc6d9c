/**
 * A registry behind HTTPS and a password, as in a company. A test can make it unavailable for a while, or make it
 * refuse schemas.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface RegistryProxy {
  readonly url: string
  /** The proxy requires them; the registry behind it requires none. */
  readonly credentials: { readonly username: string; readonly password: string }
  /** `away`: it closes the connection of every request. `refusing`: it refuses every schema. */
  is: 'there' | 'away' | 'refusing'
  close(): void
}

export async function registryProxy(
  target: string,
  { cert, key }: { readonly cert: string; readonly key: string },
): Promise<RegistryProxy> {
  const credentials = { username: 'registry-user', password: 'registry-secret-2297' }
  const basic = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (incoming, outgoing) => {
    if (proxy.is === 'away') return void incoming.destroy()
    const answer = (status: number, message: string) => outgoing.writeHead(status).end(JSON.stringify({ message }))
    if (incoming.headers.authorization !== basic) return answer(401, 'who are you?')
    if (proxy.is === 'refusing' && incoming.method === 'POST') return answer(409, 'not compatible with what is here')
    const { method, url, headers } = incoming
    const { authorization: _, host: __, ...rest } = headers
    const forwarded = request(new URL(url ?? '/', target), { method, headers: rest }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => answer(502, 'no registry'))
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(target).pathname}`
  const proxy: RegistryProxy = {
    url,
    credentials,
    is: 'there',
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return proxy
}
