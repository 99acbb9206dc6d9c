/**
 * Ends connections when the server closes. Requests in progress are answered first; connections that still have one
 * after a grace time are cut. Connections without a request end at once. Node would wait up to a minute for one that
 * never had a request.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'

/** Time for requests in progress, shorter than the time in which a process must stop. */
const graceMs = 5_000

export function endConnectionsOnClose(app: FastifyInstance): void {
  const requests = new Map<Socket, number>()
  let isClosing = false
  const endIfIdle = (socket: Socket) => {
    if (isClosing && (requests.get(socket) ?? 0) === 0) socket.destroySoon()
  }
  const server = app.server as Server
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    requests.set(socket, 0)
    socket.once('close', () => requests.delete(socket))
    endIfIdle(socket)
  })
  server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => {
      if (requests.has(socket)) requests.set(socket, (requests.get(socket) ?? 1) - 1)
      endIfIdle(socket)
    })
  })
  app.addHook('preClose', async () => {
    isClosing = true
    for (const socket of requests.keys()) endIfIdle(socket)
    setTimeout(() => server.closeAllConnections(), graceMs).unref()
  })
}
