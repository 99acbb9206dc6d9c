/** A process that a test kills: delivers the webhooks of the log in the folder that the environment names. */
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { startWebhooks } from '../../services/webhooks/webhooks.ts'

const dir = process.env.LOOMLOG_DIR ?? ''
const log = openSqliteLog({ dir })
const codec = await Codec.open(log.schemas)
const onError = (error: unknown) => console.error(error)
await startWebhooks({
  ...{ log, codec, dir, webhookKey: null, partitions: 2, networks: ['127.0.0.0/8'], sessionMs: 500, onError },
  limits: { firstRetryMs: 10 },
  onFailing: (_, text) => console.error(text),
  onOver: () => {},
})
