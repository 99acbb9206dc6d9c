/**
 * The processors that come with loomlog, and those of extensions, in the order of the flow: a processor is after the
 * writer of its input.
 */
import { consolidator } from '@loomlog/consolidator/processor'
import { factExtractor } from '@loomlog/fact-extractor/processor'
import type { Host } from '@loomlog/host/open'
import type { Processor } from '@loomlog/runtime/processor'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { traceWeaver } from '@loomlog/trace-weaver/processor'

const own: readonly Processor[] = [topicLoom, factExtractor, traceWeaver, consolidator]

export function processorsOf({ extensions }: Pick<Host, 'extensions'>): readonly Processor[] {
  return [...own, ...extensions.map(({ processor }) => processor)]
}
