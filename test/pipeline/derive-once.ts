/** A process that a test kills while it derives and publishes, on the log that the environment names. */
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { derive } from './forgetting-fixture.ts'
import type { Environment } from './loomlog.ts'
import { publishAll } from './publish-all.ts'

const host = await openHost(configFrom(process.env))
await derive(host)
await host.close()
await publishAll(process.env as Environment)
