/** The speed of a replay as the history grows: source utterances a second, with all answers recorded. */
import { join } from 'node:path'
import { copyWithoutDerived, derive, openLargeWorld } from './world.ts'

export async function measureGrowth(data: string, sizes: readonly number[]) {
  const found = []
  for (const size of sizes) {
    const world = await openLargeWorld(data, size)
    try {
      const first = join(world.dir, 'first')
      await derive(world, first, { append: world.file })
      world.endpoint.reset()
      world.endpoint.setMode('forbid')
      const { seconds, cpuSeconds } = await derive(world, await copyWithoutDerived(first, join(world.dir, 'replay')))
      const { utterances } = world
      const asks = world.endpoint.calls().total
      found.push({ utterances, asks, seconds, cpuSeconds, utterancesPerSecond: utterances / seconds })
      console.log(JSON.stringify(found.at(-1)))
    } finally {
      await world.close()
    }
  }
  return found
}
