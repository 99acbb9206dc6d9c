/**
 * The first derivation, with 200 ms an ask, and its replay under the same recipe: no ask, the same events, and its
 * speed.
 */
import { join } from 'node:path'
import { measureFloor } from './floor.ts'
import { copyWithoutDerived, derive, derivedHash, usualLatencyMs, type World } from './world.ts'

export async function measureReplay(world: World, first: string) {
  world.setLatency(usualLatencyMs)
  const firstRun = await derive(world, first, { append: world.file })
  const asksOfFirst = world.endpoint.calls().total
  const floor = await measureFloor(first, join(world.dir, 'floor'))
  world.endpoint.reset()
  world.endpoint.setMode('forbid')
  const again = await copyWithoutDerived(first, join(world.dir, 'replay'))
  const whole = await derive(world, again)
  const made = [await derivedHash(first, firstRun), await derivedHash(again, whole)] as const
  const parts = await copyWithoutDerived(first, join(world.dir, 'parts'))
  const stages = await derive(world, parts, { parts: ['stages'] })
  const views = await derive(world, parts, { parts: ['views'] })
  const asks = world.endpoint.calls().total
  world.endpoint.setMode('answer')
  world.setLatency(0)
  const floorSeconds = (floor.readMs + floor.writeMs) / 1_000
  return {
    asks,
    speedup: firstRun.seconds / whole.seconds,
    ratioToFloor: whole.seconds / floorSeconds,
    sameEvents: made[0].hash === made[1].hash,
    utterances: world.utterances,
    utterancesPerSecond: world.utterances / whole.seconds,
    events: made[1].kinds,
    first: { seconds: firstRun.seconds, asks: asksOfFirst },
    seconds: { whole: whole.seconds, stagesAlone: stages.seconds, viewsAlone: views.seconds },
    cpuSeconds: { whole: whole.cpuSeconds, stagesAlone: stages.cpuSeconds, viewsAlone: views.cpuSeconds },
    floor: { seconds: floorSeconds, ...floor },
  }
}
