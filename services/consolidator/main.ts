/** Runs the consolidator in its own process, configured by the environment. */
import { runProcessor } from '@loomlog/app/service'
import { consolidator } from './processor.ts'

await runProcessor(consolidator)
