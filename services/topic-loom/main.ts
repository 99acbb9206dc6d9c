/** The topic-loom in a process of its own, configured by the environment. */
import { runProcessor } from '@loomlog/host/run-processor'
import { topicLoom } from './processor.ts'

await runProcessor(topicLoom)
