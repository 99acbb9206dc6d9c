/**
 * What could not even be read as a request is refused as every other: with problem details. A line and headers that take too much say how
 * a long query can be sent.
 */
import { maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import { plain } from './problem.ts'

export function refuseUnread(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const tooLarge = `its line and headers take more than ${maxHeaderSize} bytes: send a long query as the body of a POST`
  const problem = isLarge ? plain(431, tooLarge) : plain(400, 'this is no HTTP request that can be read')
  const body = JSON.stringify(problem)
  const head = `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: application/problem+json\r\n`
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
}
