/** Statements that are dated later than the present: by a clock that is wrong, or in a plan that is imported. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { assertSucceeded, type CommandFixture, commandFixture, jsonLines, utteranceLine } from './fixture.ts'

const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()
const said = [
  { conversation: 'a', id: 'now', text: 'I live in Lisbon.', at: inDays(-30) },
  { conversation: 'b', id: 'later', text: 'I live in Oslo.', at: inDays(400) },
  { conversation: 'c', speaker: 'Tom', id: 'rent', text: 'The rent is 600 euros.', at: inDays(-20) },
  {
    conversation: 'd',
    speaker: 'Tom',
    id: 'raise',
    text: 'They raised the rent from 600 to 650 euros.',
    at: inDays(1),
  },
]

interface ContextItem {
  readonly id: string
  readonly text: string
  readonly part?: string
  readonly replacedBy?: readonly string[]
}

describe('a statement that is dated later', () => {
  let place: CommandFixture
  before(async () => {
    place = await commandFixture()
    assertSucceeded(await place.run('ingest', await place.file('talk.jsonl', said.map(utteranceLine).join(''))))
  })
  after(() => place.remove())

  const holding = async (...args: readonly string[]) => {
    const [block] = jsonLines(await place.run('context', ...args, '--json'))
    const items = (block?.items ?? []) as readonly ContextItem[]
    return items.flatMap(({ part, text }) =>
      (part === 'holds' ? [/Lisbon|Oslo/.exec(text)?.[0] ?? ''] : []).filter(Boolean),
    )
  }

  test('does not hold before its day, and the statement that it replaces does, with and without a question', async () => {
    assert.deepEqual(await holding('Where does Maya live?'), ['Lisbon'])
    assert.deepEqual(await holding(), ['Lisbon'])
  })

  test('holds from its day on', async () => {
    assert.deepEqual(await holding('Where does Maya live?', '--true-at', inDays(401)), ['Oslo'])
    assert.deepEqual(await holding('--true-at', inDays(401)), ['Oslo'])
  })

  test('marks nothing as changed before its day', async () => {
    const marked = async (query: string, ...args: readonly string[]) => {
      const [found] = jsonLines(await place.run('recall', query, ...args, '--json'))
      const memories = (found?.memories ?? []) as readonly ContextItem[]
      return memories.flatMap(({ id, replacedBy }) => (replacedBy ? [id] : []))
    }
    assert.deepEqual(await marked('Where does Maya live?'), [])
    assert.deepEqual(await marked('How much is the rent?'), [])
    assert.deepEqual((await marked('Where does Maya live?', '--true-at', inDays(401))).sort(), ['now', 'rent'])
    assert.deepEqual(await marked('How much is the rent?', '--true-at', inDays(2)), ['rent'])
  })

  test('is not in a profile before its day', async () => {
    const running = place.start('up', '--port', '0', '--json')
    const [started] = (await once(running.process.stdout as Readable, 'data')) as [Buffer]
    const { url } = JSON.parse(started.toString())
    const reply = await fetch(`${url}/v1/spaces/default/profiles/Maya`)
    const profile = (await reply.json()) as { parts: { entries: { statement: string }[] }[] }
    running.process.kill('SIGTERM')
    await running.finished
    const statements = profile.parts.flatMap(({ entries }) => entries.map(({ statement }) => statement))
    assert.deepEqual(statements, ['Maya lives in Lisbon.'])
  })
})
