/** The webhooks in a process of their own. */
import { runWebhooks } from '@loomlog/app/service'

await runWebhooks()
