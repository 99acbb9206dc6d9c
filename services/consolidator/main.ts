/** The consolidator in a process of its own, configured by the environment. */
import { runProcessor } from '@loomlog/host/run-processor'
import { consolidator } from './processor.ts'

await runProcessor(consolidator)
