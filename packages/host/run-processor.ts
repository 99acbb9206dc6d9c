/** One processor in a process of its own: the `main.ts` of its service. Any number of them share the partitions. */
import type { Processor } from '@loomlog/runtime/processor'
import { runStage } from '@loomlog/runtime/run'
import { liveStage } from './live.ts'
import { runService } from './service.ts'
import { stageOf } from './stage.ts'

export function runProcessor(processor: Processor): Promise<void> {
  return runService(processor.stage, async ({ host, live, logger, onError }) => {
    const stage = stageOf(host, liveStage(host, live, processor), {
      onCommit: (progress) => logger.debug(progress, 'committed'),
      onPause: (reason) => (reason === null ? logger.info('goes on') : logger.warn(`waiting: ${reason}`)),
    })
    return [await runStage({ log: host.log, stage, ...host.config.session, onError })]
  })
}
