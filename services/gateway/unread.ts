/**
 * What could not even be read as a request is refused as every other: with problem details. A line and headers that take too much say how
 * a long query can be sent; what did not come in time may be sent again.
 */
import { maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, plain } from './problem.ts'

export function refuseUnread(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const problem = problemOfUnread(error.code)
  const body = JSON.stringify(problem)
  const head = `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: application/problem+json\r\n`
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
}

function problemOfUnread(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': {
      const tooLarge = `its line and headers take more than ${maxHeaderSize} bytes`
      return plain(431, `${tooLarge}: send a long query as the body of a POST`)
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return plain(408, 'the request did not come whole in time: send it again')
    default:
      return plain(400, 'this is no HTTP request that can be read')
  }
}
