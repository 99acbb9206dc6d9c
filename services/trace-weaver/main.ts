/** Runs trace-weaver in its own process, configured by the environment. */
import { runProcessor } from '@loomlog/host/run-processor'
import { traceWeaver } from './processor.ts'

await runProcessor(traceWeaver)
