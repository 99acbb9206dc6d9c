/** The materializer in a process of its own, for every view of the live generation. */
import { checkViewEmbedder } from '@loomlog/host/live'
import { viewsUri } from '@loomlog/host/open'
import { runService } from '@loomlog/host/service'
import { viewTopics } from '@loomlog/views/catalogue'
import { materialize } from './materializer.ts'

await runService('materializer', ({ host, live, onError }) => {
  checkViewEmbedder(host, live)
  const { log, codec, embedder, answers, viewVectors, config } = host
  const common = {
    log,
    codec,
    vectors: { embedder, book: answers, cache: viewVectors },
    views: viewsUri(config),
    ...config.session,
    onError,
  }
  return Promise.all(viewTopics.map((topic) => materialize({ ...common, topic, source: live.serving.topic(topic) })))
})
