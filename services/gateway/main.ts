/** The gateway in a process of its own, on LOOMLOG_HTTP_HOST and LOOMLOG_HTTP_PORT. */
import { answering } from '@loomlog/generations/pointers'
import { Readings } from '@loomlog/host/readings'
import { runService } from '@loomlog/host/service'
import { Recalls } from '@loomlog/recall/recall-recorder'
import { createGateway } from './gateway.ts'
import { appendPauses } from './pauses.ts'

await runService('gateway', async ({ host, follower, logger, signal, onError }) => {
  const { log, codec } = host
  const readings = new Readings(host, follower)
  const status = async () => ({
    generation: answering(follower.current, null)?.generation ?? null,
    epoch: follower.current.epoch,
    embedder: host.embedder.space.name,
    groups: await log.groups(),
  })
  const onDropped = (count: number, why: string) => logger.warn(`${count} served recalls were not recorded: ${why}`)
  const recalls = host.config.recalls === 'on' ? new Recalls({ log, codec, onDropped }) : null
  const gateway = createGateway({
    log,
    codec,
    reading: (tenant, named) => readings.of(tenant, named),
    logger,
    status,
    recalls,
    model: host.model,
    toolModel: host.toolModel,
  })
  await gateway.listen({ ...host.config.http })
  const pauses = await appendPauses({
    log,
    codec,
    session: host.config.session,
    pauseAfterMs: host.config.pauseAfterMs,
    signal,
    onError,
  })
  return [gateway, pauses, readings, ...(recalls === null ? [] : [recalls])]
})
