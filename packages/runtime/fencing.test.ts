import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { caughtUp, folder, openWorld, run, topics, until } from './fixture.ts'
import { heldModel, judgingStep, loom, modelReply, toyModel, utterance } from './toy-processors.ts'

test('the commit of an owner that lost its partition has no effect, and the new owner keeps the partition', async (t) => {
  const sessionMs = 250
  const dir = await folder(t)
  const [zombieWorld, heir] = [await openWorld(dir), await openWorld(dir)]
  await heir.append([utterance('1', { text: 'x' }), utterance('2', { text: 'y', conversation: 'other' })])
  const held = heldModel()
  // Its heartbeats stop, as those of a suspended process do.
  const real = globalThis.setTimeout
  const suspended = (handler: () => void, ms: number) => (ms <= sessionMs / 2 ? unset() : real(handler, ms))
  const timers = t.mock.method(globalThis, 'setTimeout', suspended as typeof setTimeout)
  const zombie = await run(zombieWorld, loom(judgingStep), { model: held.model, sessionMs })
  timers.mock.restore()
  await until(() => held.waiting.size === 2, 'the first owner is at work')
  held.letGo('y')
  const { model } = toyModel((text) => modelReply({ label: `${text} of the heir` }))
  const heirs = await run(heir, loom(judgingStep), { model, sessionMs })
  await until(() => heirs.members.heldPartitions.length === 1, 'the partition has another owner')
  await caughtUp(heir)
  assert.deepEqual(await topics(heir), ['s: c#0: x of the heir', 's: other#0: y'])
  held.letGo('x')
  await until(() => zombie.members.heldPartitions.length === 0, 'the first owner finds out')
  const [group] = await heir.log.groups()
  assert.deepEqual([group?.position, group?.epoch], [2, 2])
  assert.deepEqual(await topics(heir), ['s: c#0: x of the heir', 's: other#0: y'])
  await until(() => zombie.errors.length > 0, 'the error is reported')
  assert.deepEqual([zombie.errors.map((error) => isLoomlogError(error, 'fenced')), heirs.errors], [[true], []])
  await heir.append([utterance('3', { text: 'z' })])
  await caughtUp(heir)
  assert.equal((await topics(heir)).at(-1), 's: c#1: z of the heir')
  await zombieWorld.close()
  await heir.close()
})

function unset(): NodeJS.Timeout {
  const timer = setInterval(() => {}, 1_000)
  clearInterval(timer)
  return timer
}
