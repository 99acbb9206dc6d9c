/** Runs trace-weaver in its own process, configured by the environment. */
import { runProcessor } from '@loomlog/app/service'
import { traceWeaver } from './processor.ts'

await runProcessor(traceWeaver)
