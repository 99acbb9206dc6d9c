/**
 * Answers unreadable HTTP requests with problem details. If the request line and the headers are too large, the details
 * say how to send a long query.
 */
import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '@loomlog/errors'
import { problemWithStatus } from './problem.ts'

export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const problem = problemOfUnreadable(error.code)
  const body = JSON.stringify(problem)
  const head = `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: application/problem+json\r\n`
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
}

/** Answers an unknown `Expect`. Node's own answer would have no body. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const expectation = JSON.stringify(request.headers.expect?.slice(0, 80))
  const body = JSON.stringify(
    problemWithStatus(417, `Expect is ${expectation}: expected 100-continue, or no such header`),
  )
  const head = { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(417, { ...head, connection: 'close' }).end(body)
}

function problemOfUnreadable(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': {
      const tooLarge = `its line and headers take more than ${maxHeaderSize} bytes`
      return problemWithStatus(431, `${tooLarge}: send a long query as the body of a POST`)
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problemWithStatus(408, 'the request did not arrive in time: send it again')
    default:
      return problemWithStatus(400, 'this is no readable HTTP request')
  }
}
