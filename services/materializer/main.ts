/** The materializer in a process of its own, for every view of every generation that is derived. */
import { Hosting } from '@loomlog/host/hosting'
import { runService } from '@loomlog/host/service'
import { viewParts } from './hosting.ts'

await runService('materializer', async ({ host, follower, signal, onError }) => [
  await Hosting.start({ follower, partsOf: viewParts(host, onError), onTrouble: onError, onError, signal }),
])
