/** A process that a test kills: delivers the webhooks of the log that the environment names. */
import { configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { Codec } from '@loomlog/schemas/codec'
import { startWebhooks } from '../../../services/webhooks/webhooks.ts'

const config = configFrom(process.env)
const { dir, session, webhooks } = config
const log = await openLog(config)
const codec = await Codec.open(log.schemas)
await startWebhooks({
  log,
  codec,
  dir,
  webhookKey: webhooks.key,
  partitions: 2,
  beginningOf: async () => 0,
  networks: ['127.0.0.0/8'],
  ...session,
  limits: { firstRetryMs: 10 },
  onError: (error) => console.error(error),
  onFailing: (_, { text }) => console.error(text),
  onOver: () => {},
  onKeyMissing: (text) => console.error(text),
  onKeyFound: () => {},
})
