/** A condition of a gateway: a live generation's views have a retired embedder, and are searched by words alone. */
import type { GenerationsFollower } from '@loomlog/generations/follower'
import { liveGenerations } from '@loomlog/generations/pointers'
import type { Conditions } from '@loomlog/host/conditions'
import { frozenViewReason } from '@loomlog/host/missing-embedder'
import type { Host } from '@loomlog/host/open'
import { isRetired } from '@loomlog/host/retired-embedders'

const condition = 'degraded views'

interface WordSearch {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly conditions: Conditions
}

/** Begins the condition, now and at every change of the live generations, or ends it. */
export function noteWordSearch({ host, follower, conditions }: WordSearch): void {
  const look = () => {
    const { current } = follower
    const embedders = [...liveGenerations(current)].map((id) => current.generations.get(id)?.viewEmbedder ?? '')
    const retired = embedders.find(isRetired)
    if (retired === undefined) conditions.end(condition, 'memories are found by their vectors again')
    else
      conditions.begin(condition, `memories are found by their words alone, since ${frozenViewReason(host, retired)}`)
  }
  follower.onChange(look)
  look()
}
