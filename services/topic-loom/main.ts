/** Runs topic-loom in its own process, configured by the environment. */
import { runProcessor } from '@loomlog/app/service'
import { topicLoom } from './processor.ts'

await runProcessor(topicLoom)
