/** Publishes until the feed reflects every utterance of the log and every space follows its live generation. */
import { GenerationsFollower } from '@loomlog/generations/follower'
import { liveGeneration } from '@loomlog/generations/pointers'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { publisherOptions } from '../../packages/app/feed-options.ts'
import { foldFeed } from '../../services/publisher/feed-fold.ts'
import { publisherGroup, startPublisher } from '../../services/publisher/publisher.ts'
import { eventually } from '../eventually.ts'
import type { Environment } from './loomlog.ts'
import { feedOf } from './memory-feed.ts'

export async function publishAll(environment: Environment): Promise<void> {
  await using ends = new AsyncDisposableStack()
  const host = await openHost(configFrom(environment))
  ends.defer(() => host.close())
  const onError = (error: unknown) => console.error(error)
  const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: onError, onError })
  ends.defer(() => follower.close())
  const { signal } = new AbortController()
  const publisher = await startPublisher(publisherOptions(host, { follower, signal, onError }))
  ends.defer(() => publisher.close())
  await eventually(async () => {
    const ends = await host.log.endOffsets('utterances')
    const groups = (await host.log.groups()).filter(({ group }) => group === publisherGroup)
    const isReflected = ends.every(
      (end, at) => (groups.find(({ partition }) => partition === at)?.position ?? 0) === end,
    )
    const spaces = [...foldFeed(await feedOf(host))]
    const isLive = ([key, { generation }]: (typeof spaces)[number]) =>
      generation === liveGeneration(follower.current, key.split('/')[0] ?? '')?.generation
    if (!isReflected || !spaces.every(isLive)) throw new Error(`not published: ${JSON.stringify(groups)}`)
  })
}
