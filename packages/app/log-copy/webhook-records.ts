/**
 * Webhooks in a copied log. The target derives its feed again, with other offsets and other event ids, so no position
 * of the source means anything there: a copied webhook begins at the beginning of that feed, and no event is skipped.
 * Everything else of it is copied as it is.
 */

import { copyWebhookKey } from '@loomlog/feed/webhook-key-copy'
import { webhookKey } from '@loomlog/feed/webhook-secret'
import { publicWebhook, readWebhooks } from '@loomlog/feed/webhook-store'
import { isWebhookEvent } from '@loomlog/feed/webhooks'
import type { Config } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { Codec } from '@loomlog/schemas/codec'
import type { LogPair } from './topic-copy.ts'

/**
 * The pair with a translation that moves the start of webhooks to the beginning.
 * @param partitions of the target's feed
 */
export function fromBeginning(pair: LogPair, partitions: number): LogPair {
  let opening: Promise<Codec> | null = null
  const start = Array.from({ length: partitions }, () => 0)
  return {
    ...pair,
    async translate(original) {
      const value = await pair.translate(original)
      opening ??= Codec.open(pair.to.schemas)
      const codec = await opening
      const event = await codec.decodeOrNull(value)
      return isWebhookEvent(event) && event.type === 'WebhookCreated' ? codec.encode({ ...event, start }) : value
    },
  }
}

export interface CopiedWebhooks {
  /** Webhooks that post the target's feed. */
  readonly enabled: number
  /** Webhooks that wait for the webhook key. */
  readonly withoutKey: number
}

/** Copies the webhook key between embedded logs, and says which webhooks of the target can be signed. */
export async function copiedWebhooks(source: Config, target: Config): Promise<CopiedWebhooks> {
  const log = await openLog(target)
  try {
    const isCopied = (await log.topics()).some(({ name }) => name === 'webhooks')
    const webhooks = isCopied ? await readWebhooks({ log, codec: await Codec.open(log.schemas) }, null) : []
    // On Kafka the folder is that of this machine only, and may be that of another log.
    if (webhooks.length > 0 && source.log.kind === 'sqlite' && target.log.kind === 'sqlite')
      copyWebhookKey(source.dir, target.dir)
    const key = webhookKey({ dir: target.dir, webhookKey: target.webhooks.key })
    const shown = webhooks.map((webhook) => publicWebhook(webhook, key).status)
    const withoutKey = shown.filter((status) => status === 'no-key').length
    return { enabled: withoutKey + shown.filter((status) => status === 'enabled').length, withoutKey }
  } finally {
    await log.close()
  }
}
