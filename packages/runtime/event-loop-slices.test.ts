import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caughtUp, run, world } from './fixture.ts'
import { countingStep, loom, utterance } from './toy-processors.ts'

test('timers fire between the steps of a long history, so a busy owner still sends heartbeats', async (t) => {
  const here = await world(t)
  const count = 100
  await here.append(Array.from({ length: count }, (_, index) => utterance(`${index}`, { conversation: `c${index}` })))
  let ticks = 0
  const ticksSeen: number[] = []
  const busy = loom(function* (event) {
    ticksSeen.push(ticks)
    for (const until = performance.now() + 4; performance.now() < until; );
    return yield* countingStep(event)
  })
  const timer = setInterval(() => (ticks += 1), 1)
  t.after(() => clearInterval(timer))
  await run(here, busy)
  await caughtUp(here)
  const between = (ticksSeen.at(-1) ?? 0) - (ticksSeen[0] ?? 0)
  assert.ok(between >= count / 2, `the timer fired ${between} times during ${count} steps`)
})
