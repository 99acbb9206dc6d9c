/** The gateway in a process of its own, on LOOMLOG_HTTP_HOST and LOOMLOG_HTTP_PORT. */
import { runGateway } from '@loomlog/app/service'

await runGateway()
