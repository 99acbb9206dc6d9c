/** The gateway in a process of its own, on LOOMLOG_HTTP_HOST and LOOMLOG_HTTP_PORT. */
import { wholeNumber } from '@loomlog/host/environment'
import { checkViewEmbedder } from '@loomlog/host/live'
import { viewsUri } from '@loomlog/host/open'
import { runService } from '@loomlog/host/service'
import { Recalls } from '@loomlog/recall/served'
import { viewTopics } from '@loomlog/views/catalogue'
import { ViewReader } from '@loomlog/views/reader'
import { createGateway } from './gateway.ts'
import { appendPauses } from './pauses.ts'

await runService('gateway', async ({ host, live, logger, onError }) => {
  checkViewEmbedder(host, live)
  const { log, codec, embedder, partitions } = host
  const views = new ViewReader({
    views: viewsUri(host.config),
    vectorSpace: embedder.space,
    partitions,
    sources: new Map(viewTopics.map((topic) => [topic, live.serving.topic(topic)])),
  })
  const status = async () => ({
    generation: live.serving.id,
    embedder: embedder.space.name,
    groups: await log.groups(),
  })
  const onDropped = (count: number, why: string) => logger.warn(`${count} served recalls were not recorded: ${why}`)
  const recalls = host.config.recalls === 'on' ? new Recalls({ log, codec, onDropped }) : null
  const generation = live.serving.id
  const gateway = createGateway({ log, codec, embedder, views, logger, status, generation, recalls })
  await gateway.listen({
    host: process.env.LOOMLOG_HTTP_HOST ?? '127.0.0.1',
    port: wholeNumber(process.env, 'LOOMLOG_HTTP_PORT', { fallback: 7070, least: 0, most: 65_535 }),
  })
  const pauses = await appendPauses({
    log,
    codec,
    session: host.config.session,
    pauseAfterMs: host.config.pauseAfterMs,
    onError,
  })
  return [gateway, pauses, views, ...(recalls === null ? [] : [recalls])]
})
