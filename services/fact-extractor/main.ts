/** The fact-extractor in a process of its own, configured by the environment. */
import { runProcessor } from '@loomlog/host/run-processor'
import { factExtractor } from './processor.ts'

await runProcessor(factExtractor)
