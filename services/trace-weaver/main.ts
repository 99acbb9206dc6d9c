/** The trace-weaver in a process of its own, configured by the environment. */
import { runProcessor } from '@loomlog/host/run-processor'
import { traceWeaver } from './processor.ts'

await runProcessor(traceWeaver)
