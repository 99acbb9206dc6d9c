/** The gateway in a process of its own, on LOOMLOG_HTTP_HOST and LOOMLOG_HTTP_PORT. */
import { startGateway } from '@loomlog/app/gateway'
import { readStatus } from '@loomlog/app/status'
import { runService } from '@loomlog/host/service'

await runService('gateway', async (service) => {
  const { host } = service
  return [await startGateway({ ...service, address: host.config.http, status: () => readStatus(host) })]
})
