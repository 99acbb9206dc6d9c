/** The consolidator in a process of its own, configured by the environment. */
import { runProcessor } from '@loomlog/app/service'
import { consolidator } from './processor.ts'

await runProcessor(consolidator)
