/** Runs fact-extractor in its own process, configured by the environment. */
import { runProcessor } from '@loomlog/app/service'
import { factExtractor } from './processor.ts'

await runProcessor(factExtractor)
