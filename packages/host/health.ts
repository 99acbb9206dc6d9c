/**
 * Liveness and readiness over HTTP, for whoever starts and restarts processes: `/livez` answers as long as the event loop turns,
 * `/readyz` says 200 once the service does its work, and 503 with the reason before and after.
 */
import { createServer } from 'node:http'
import { LoomlogError } from '@loomlog/errors'

export interface Health {
  /** Null: ready. */
  notReady: string | null
  close(): Promise<void>
}

/** @param port null: nobody asks. @throws LoomlogError `config-invalid` where the port is taken */
export async function startHealth(port: number | null): Promise<Health> {
  const server = createServer((request, response) => {
    const reason = request.url === '/readyz' ? health.notReady : null
    const known = request.url === '/livez' || request.url === '/readyz'
    response.writeHead(known ? (reason === null ? 200 : 503) : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ status: reason ?? (known ? 'ok' : 'there are /livez and /readyz') }))
  })
  const health: Health = {
    notReady: 'starting',
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  if (port === null) return health
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new LoomlogError('config-invalid', `LOOMLOG_HEALTH_PORT ${port}: ${cause.message}`, { cause })),
    )
    server.listen(port, resolve)
  })
  return health
}
