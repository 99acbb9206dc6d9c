/** One processor in a process of its own, under every derivation of it: the `main.ts` of its service. Any number share the partitions. */
import type { Processor } from '@loomlog/runtime/processor'
import { Hosting, type PartsOf } from './hosting.ts'
import { runService } from './service.ts'
import { stageParts } from './stage.ts'

export function runProcessor(processor: Processor): Promise<void> {
  return runService(processor.stage, async ({ host, follower, logger, signal, onError }) => {
    const parts = stageParts(host, [processor], {
      onCommit: (_stage, progress) => logger.debug(progress, 'committed'),
      onPause: (derivation, reason) =>
        reason === null ? logger.info({ derivation }, 'goes on') : logger.warn({ derivation }, `waiting: ${reason}`),
      onFrozen: (reason) => logger.warn(`frozen: ${reason}`),
      onError,
    })
    const partsOf: PartsOf = async (...of) => parts(...of)
    return [await Hosting.start({ follower, partsOf, onTrouble: onError, onError, signal })]
  })
}
