/** The options of the publisher and of webhooks, from the configuration. */
import type { Host } from '@loomlog/host/open'
import type { Service } from '@loomlog/host/service'
import type { PublisherOptions } from '@loomlog/publisher/publisher'
import type { WebhooksOptions } from '@loomlog/webhooks/webhooks'

/** Counts polls, not commits, as progress: the feed's position waits for stages that may be behind for long. */
export function publisherOptions(
  host: Host,
  run: Pick<PublisherOptions, 'follower' | 'onError'> & { readonly signal: AbortSignal },
): PublisherOptions {
  const { codec, config } = host
  return { log: host.progress.watch(host.log, 'poll'), codec, ...config.session, ...run }
}

export function webhooksOptions(host: Host, run: Pick<Service, 'conditions' | 'signal' | 'onError'>): WebhooksOptions {
  const { codec, config, partitions, pendingForgettings, progress } = host
  const { key, networks, timeoutMs, parkAfterMs } = config.webhooks
  const { conditions, signal, onError } = run
  return {
    codec,
    partitions,
    beginningOf: (space, topic) => pendingForgettings.beginningOf(space, topic),
    networks,
    dir: config.dir,
    webhookKey: key,
    ...config.session,
    signal,
    onError,
    log: progress.watch(host.log, 'poll'),
    limits: { timeoutMs, parkAfterMs },
    onFailing: (webhook, { text, kind }) => conditions.begin(`webhook ${webhook}`, text, kind),
    onOver: (webhook, text) => conditions.end(`webhook ${webhook}`, text),
    onKeyMissing: (text) => conditions.begin('webhook key', text, 'the webhook key is missing or another one'),
    onKeyFound: (text) => conditions.end('webhook key', text),
  }
}
