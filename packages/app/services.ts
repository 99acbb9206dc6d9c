/** The services: each runs its own parts, and takes part in the election for automatic upgrades. */
import type { Generation, Generations } from '@loomlog/generations/generations'
import { type HostedPartsOf, Hosting } from '@loomlog/host/hosting'
import { frozenViewReason } from '@loomlog/host/missing-embedder'
import type { Host } from '@loomlog/host/open'
import { isRetired } from '@loomlog/host/retired-embedders'
import type { ServiceProgram } from '@loomlog/host/service'
import { frozenReason, stageParts } from '@loomlog/host/stage'
import { viewParts } from '@loomlog/materializer/hosting'
import { startPublisher } from '@loomlog/publisher/publisher'
import type { Processor } from '@loomlog/runtime/processor'
import { startWebhooks } from '@loomlog/webhooks/webhooks'
import { publisherOptions, webhooksOptions } from './feed-options.ts'
import { forgetTextsWithLog } from './forgetting/forget-texts.ts'
import { startForgettings } from './forgetting/forgetting-worker.ts'
import { startGateway } from './gateway.ts'
import { electUpgrade } from './generations/elected-upgrade.ts'
import { endpointConditions } from './pipeline.ts'
import { processorsOf } from './processors.ts'
import { statusWithConditions } from './status.ts'

/** Every service, by its name: one for each processor, those of extensions included, and those below. */
export function servicesOf(installed: Pick<Host, 'extensions'>): readonly ServiceProgram[] {
  const processors = processorsOf(installed).map(processorService)
  return [...processors, materializer, publisher, webhooks, gateway].map(withCommonParts)
}

/** Every service takes part in the election for automatic upgrades, and forgets texts with the log. */
function withCommonParts(program: ServiceProgram): ServiceProgram {
  return {
    ...program,
    start: async (service) => [
      await forgetTextsWithLog(service.host, service),
      ...(await program.start(service)),
      await electUpgrade(service),
    ],
  }
}

/** One processor, under every derivation of it that is running. Any number of processes share the partitions. */
function processorService(processor: Processor): ServiceProgram {
  const { stage } = processor
  return {
    name: stage,
    readyFor: `derives ${stage}`,
    frozenCheck: (host) => (known, generation) => {
      const derivation = known.derivations.get(generation.derivations[stage] ?? '')
      return derivation === undefined ? null : frozenReason(host, processor, derivation)
    },
    async start({ host, follower, logger, conditions, signal, onError }) {
      const parts = stageParts(host, [processor], {
        onCommit: (_stage, progress) => logger.debug(progress, 'committed'),
        ...endpointConditions(conditions),
        onFrozen: (reason) => logger.info(`not derived here: ${reason}`),
        onError,
      })
      const partsOf: HostedPartsOf = async (...of) => parts(...of)
      return [await Hosting.start({ follower, partsOf, onTemporaryFailure: onError, onError, signal })]
    },
  }
}

/** The views of every generation that is running. */
const materializer: ServiceProgram = {
  name: 'materializer',
  readyFor: 'keeps the views',
  frozenCheck: noEmbedder,
  async start({ host, follower, signal, onError }) {
    const partsOf = viewParts(host, onError)
    return [await Hosting.start({ follower, partsOf, onTemporaryFailure: onError, onError, signal })]
  },
}

/** The feed of the live generation, in `memory-events`. */
const publisher: ServiceProgram = {
  name: 'publisher',
  readyFor: 'publishes memory-events',
  frozenCheck: () => () => null,
  async start({ host, follower, signal, onError }) {
    return [await startPublisher(publisherOptions(host, { follower, signal, onError }))]
  },
}

/** Webhooks of every tenant. */
const webhooks: ServiceProgram = {
  name: 'webhooks',
  readyFor: 'delivers memory-events to webhooks',
  frozenCheck: () => () => null,
  async start({ host, conditions, signal, onError }) {
    return [await startWebhooks(webhooksOptions(host, { conditions, signal, onError }))]
  },
}

/** HTTP, on LOOMLOG_HTTP_HOST and LOOMLOG_HTTP_PORT; it carries out the forgettings that it takes. */
const gateway: ServiceProgram = {
  name: 'gateway',
  readyFor: 'takes utterances and serves recall',
  // Views of a retired embedder are served by words, which is a condition (word-search.ts).
  frozenCheck: (host) => (known, generation) =>
    isRetired(generation.viewEmbedder) ? null : noEmbedder(host)(known, generation),
  async start(service) {
    const { host, conditions } = service
    const status = statusWithConditions(host, conditions)
    const gateway = await startGateway({ ...service, address: host.config.http, status })
    for (const line of gateway.news) service.logger.warn(line)
    const { signal, onError, logger } = service
    const forgettings = await startForgettings(host, { signal, logger, onError })
    return [gateway, forgettings]
  },
}

function noEmbedder(host: Host) {
  return (_known: Generations, { viewEmbedder }: Generation) => frozenViewReason(host, viewEmbedder)
}
