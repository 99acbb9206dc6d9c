/** `correct --text … --from DATE`: the old statement holds until the date, and the new one from then on. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  assertRefused,
  assertSucceeded,
  type CommandFixture,
  commandFixture,
  jsonLines,
  utteranceLine,
} from './fixture.ts'

const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()

interface Item {
  readonly id: string
  readonly text: string
  readonly part?: string
}

const said = [
  { id: 'home', text: 'I live in Lisbon.' },
  { id: 'boat', text: 'My boat is blue.', at: '2026-03-02T09:01:00Z' },
]

describe('a correction with a date', () => {
  let place: CommandFixture
  before(async () => {
    place = await commandFixture()
    assertSucceeded(await place.run('ingest', await place.file('talk.jsonl', said.map(utteranceLine).join(''))))
    await correct('Where does Maya live?', /Lisbon/, 'Maya lives in Porto.', '2026-05-01')
    await correct('Which colour is the boat?', /blue/, 'The boat of Maya is painted in a dark green.', '2026-05-01')
  })
  after(() => place.remove())

  async function factOf(question: string, words: RegExp): Promise<string> {
    const [found] = jsonLines(await place.run('recall', question, '--kind', 'fact', '--json'))
    return ((found?.memories ?? []) as Item[]).find(({ text }) => words.test(text))?.id ?? ''
  }
  async function correct(question: string, words: RegExp, text: string, from: string): Promise<void> {
    const id = await factOf(question, words)
    assertSucceeded(await place.run('correct', id, '--text', text, '--from', from, '--by', 'Ines'))
  }
  const boat = (...args: readonly string[]) => held(/blue|green/, 'Which colour is the boat of Maya?', ...args)
  const holding = (...args: readonly string[]) => held(/Lisbon|Porto|Faro/, ...args)
  const held = async (words: RegExp, ...args: readonly string[]) => {
    const [block] = jsonLines(await place.run('context', ...args, '--json'))
    const items = (block?.items ?? []) as Item[]
    return items
      .flatMap(({ part, text }) => (part === 'holds' ? [words.exec(text)?.[0] ?? ''] : []))
      .filter(Boolean)
      .sort()
  }
  const home = 'Where does Maya live?'

  const assertHeld = async () => {
    assert.deepEqual(await holding(home, '--true-at', '2026-04-30'), ['Lisbon'])
    assert.deepEqual(await holding('--true-at', '2026-04-30'), ['Lisbon'])
    assert.deepEqual(await holding(home, '--true-at', '2026-05-02'), ['Porto'])
    assert.deepEqual(await holding('--true-at', '2026-05-02'), ['Porto'])
    assert.deepEqual(await holding(home), ['Porto'])
    assert.deepEqual(await boat('--true-at', '2026-04-30'), ['blue'])
    assert.deepEqual(await boat('--true-at', '2026-05-02'), ['green'])
  }

  test('leaves the old statement true before the date, and the new one holds from then on', async () => {
    await assertHeld()
  })

  test('marks the old utterance as replaced after the date only', async () => {
    const marked = async (...args: readonly string[]) => {
      const [found] = jsonLines(await place.run('recall', home, ...args, '--json'))
      return ((found?.memories ?? []) as (Item & { replacedBy?: unknown })[]).flatMap(({ id, replacedBy }) =>
        replacedBy && id === 'home' ? [id] : [],
      )
    }
    assert.deepEqual(await marked('--true-at', '2026-04-30'), [])
    assert.deepEqual(await marked(), ['home'])
  })

  test('holds in another generation', async () => {
    assertSucceeded(await place.run('generation', 'start', '--set', 'topic-loom.maxUtterances=7', '--wait', '--json'))
    const [list] = jsonLines(await place.run('generation', 'list', '--json'))
    const started = ((list?.generations ?? []) as { id: string; liveFor: string[] }[]).find(
      ({ liveFor }) => liveFor.length === 0,
    )
    assertSucceeded(await place.run('generation', 'promote', started?.id ?? ''))
    await assertHeld()
  })

  test('is refused at or before the beginning of the memory, without --text, and with a wrong date', async () => {
    const id = await factOf(home, /Porto/)
    const text = ['--text', 'Maya lives in Faro.'] as const
    assertRefused(
      await place.run('correct', id, ...text, '--from', '2026-05-01'),
      2,
      /from is "2026-05-01T00:00:00.000Z": expected a time after 2026-05-01T00:00:00.000Z, from which/,
    )
    assertRefused(await place.run('correct', id, '--retract', '--from', '2026-06-01'), 2, /--from says from when/)
    assertRefused(
      await place.run('correct', id, ...text, '--from', 'May'),
      2,
      /--from is "May": expected a day, such as/,
    )
  })

  test('of the corrected statement ends that one, and leaves the history before it', async () => {
    await correct(home, /Porto/, 'Maya lives in Faro.', inDays(30))
    assert.deepEqual(await holding(home), ['Porto'])
    assert.deepEqual(await holding(home, '--true-at', inDays(31)), ['Faro'])
    assert.deepEqual(await holding(home, '--true-at', '2026-04-30'), ['Lisbon'])
  })

  test('stays when the evidence of the old statement is undone', async () => {
    assertSucceeded(await place.run('retract', '--speaker', 'Maya'))
    assert.deepEqual(await holding(home), ['Porto'])
    assert.deepEqual(await holding(home, '--true-at', '2026-04-30'), [])
  })
})
