/** A process that a test kills while it publishes, on the log that the environment names. */
import type { Environment } from './loomlog.ts'
import { publishAll } from './publish-all.ts'

await publishAll(process.env as Environment)
