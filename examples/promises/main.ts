/** Runs the stage in its own process, configured by the environment. */
import { runProcessor } from '@loomlog/app/service'
import { promises } from './processor.ts'

await runProcessor(promises)
