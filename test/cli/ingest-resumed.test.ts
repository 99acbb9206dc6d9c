/**
 * `loomlog ingest` of many spaces, stopped or killed midway: the same command continues, and the memory is that of an
 * undisturbed run.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assertSucceeded, type CommandFixture, commandFixture, utteranceLine } from './fixture.ts'

/** More than one append. */
const messages = 600
const spaces = 20
const texts = ['I live in Lisbon.', 'I moved to Porto yesterday.', 'We should repair the boat on Saturday.']

describe('an ingest of many spaces', () => {
  let place: CommandFixture
  let file: string
  let undisturbed: string
  const ingestInto = (folder: string) => ['ingest', file, '--dir', join(place.folder, folder), '--json']
  const hashOf = async (folder: string) => {
    const dumped = await place.run('dump', '--hash', '--dir', join(place.folder, folder))
    assertSucceeded(dumped)
    return dumped.stdout
  }
  before(async () => {
    place = await commandFixture()
    const line = (n: number) =>
      utteranceLine({ id: `m${n}`, space: `s${n % spaces}`, conversation: `c${n % (2 * spaces)}`, text: texts[n % 3] })
    file = await place.file('many.jsonl', Array.from({ length: messages }, (_, n) => line(n)).join(''))
    assertSucceeded(await place.run(...ingestInto('undisturbed')))
    undisturbed = await hashOf('undisturbed')
  })
  after(() => place.remove())

  for (const [signal, code] of [
    ['SIGKILL', null],
    ['SIGINT', 130],
  ] as const)
    test(`continues after ${signal}`, async () => {
      const running = place.start(...ingestInto(signal))
      running.process.stderr?.on('data', () => {
        if (/events acknowledged/.test(running.output())) running.process.kill(signal)
      })
      const stopped = await running.finished
      assert.equal(stopped.code, code, stopped.stderr)
      const again = await place.run(...ingestInto(signal))
      assertSucceeded(again)
      const { appended, known } = JSON.parse(again.stdout)
      assert.equal(appended + known, messages + 2 * spaces + spaces)
      assert.ok(known >= 500, `${known} events were in the log`)
      assert.equal(await hashOf(signal), undisturbed)
    })
})
