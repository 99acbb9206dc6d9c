/** Runs topic-loom in its own process, configured by the environment. */
import { runProcessor } from '@loomlog/host/run-processor'
import { topicLoom } from './processor.ts'

await runProcessor(topicLoom)
