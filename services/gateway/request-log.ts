/** The request in log lines: without its query string, since that holds people's questions and, by mistake, keys. */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

export function withoutQueries(logger: Logger): Logger {
  return logger.child({}, { serializers: { req: requestFields } })
}

function requestFields({ method, url, host, ip }: FastifyRequest): object {
  const [path] = url.split('?')
  return { method, path, host, remoteAddress: ip }
}
