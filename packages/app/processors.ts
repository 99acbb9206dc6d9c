/**
 * The processors that come with loomlog, in the order of the flow: a processor stands after the one that writes its input. This is the
 * one list of them; a caller of startPipeline may pass a longer one.
 */
import { consolidator } from '@loomlog/consolidator/processor'
import { factExtractor } from '@loomlog/fact-extractor/processor'
import type { Processor } from '@loomlog/runtime/processor'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { traceWeaver } from '@loomlog/trace-weaver/processor'

export const processors: readonly Processor[] = [topicLoom, factExtractor, traceWeaver, consolidator]
