/**
 * `loomlog ingest`: the counts are those of the run and its file, beside other spaces, other runs and a server that
 * writes.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { assertSucceeded, type CommandFixture, commandFixture, jsonLines, utteranceLine } from './fixture.ts'

const texts = ['I live in Lisbon.', 'I moved to Porto yesterday.', 'My sister Ana visited me in May.']
const lines = texts.map((text, n) => utteranceLine({ id: `u${n}`, text, at: `2026-03-0${n + 2}T09:00:00Z` })).join('')
/**
 * Conversations that a server writes beside a run. A run ends when the pipeline has caught up, so they must end, too.
 */
const writes = 4

describe('ingest', () => {
  let place: CommandFixture
  let file: string
  let first: { readonly [name: string]: unknown }
  const ingested = async (...args: readonly string[]) => {
    const run = await place.run('ingest', file, '--json', ...args)
    assertSucceeded(run)
    const { seconds: _, ...counts } = jsonLines(run)[0] ?? {}
    return counts
  }
  before(async () => {
    place = await commandFixture()
    file = await place.file('talk.jsonl', lines)
    first = await ingested('--space', 'one')
  })
  after(() => place.remove())

  test('counts every event that is derived from the file', async () => {
    const derived = jsonLines(await place.run('dump', '--json')).filter(({ event }) => 'lineage' in (event as object))
    const { appended: _, known: __, languages: ___, ...counts } = first
    assert.deepEqual(
      Object.values(counts).reduce<number>((sum, each) => sum + Number(each), 0),
      derived.length,
    )
    assert.ok(Number(counts.FactRecorded) > 0, JSON.stringify(counts))
  })

  test('counts the events of its own space alone', async () => {
    assert.deepEqual(await ingested('--space', 'two'), first)
  })

  test('a repetition counts nothing, and says so', async () => {
    const { appended, known, languages } = first
    assert.deepEqual(await ingested('--space', 'one'), { appended: 0, known: appended, languages })
    assert.equal(known, 0)
    const { stdout } = await place.run('ingest', file, '--space', 'one')
    assert.match(
      stdout,
      /^0 events appended, 5 already in the log, in default\/one\nnothing new is derived from them\n/,
    )
  })

  test('two runs at once count each event once', async () => {
    const runs = await Promise.all([ingested('--space', 'both'), ingested('--space', 'both')])
    const sum = (name: string) => runs.reduce((total, run) => total + Number(run[name]), 0)
    assert.deepEqual([sum('appended'), sum('known')], [first.appended, first.appended], JSON.stringify(runs))
  })

  test('leaves out the memory of a server that writes meanwhile, also into the same space', async () => {
    const running = place.start('up', '--port', '0', '--json')
    const [started] = (await once(running.process.stdout as Readable, 'data')) as [Buffer]
    const { url } = JSON.parse(started.toString())
    const headers = { 'content-type': 'application/json' }
    const write = async (space: string) => {
      for (let n = 0; n < writes; n++) {
        const body = utteranceLine({ conversation: `other ${n}`, speaker: 'Tom', text: 'I live in Oslo.' })
        await fetch(`${url}/v1/spaces/${space}/utterances`, { method: 'POST', headers, body })
        await fetch(`${url}/v1/spaces/${space}/conversations/other%20${n}/end?wait=in-views`, { method: 'POST' })
      }
    }
    const writing = ['three', 'one'].map(write)
    const counts = await ingested('--space', 'three')
    await Promise.all(writing)
    const toServer = ['--space', 'four', '--url', url]
    const { appended } = first
    const onServer = [await ingested(...toServer), await ingested(...toServer)]
    assert.deepEqual(
      onServer.map((each) => [each.appended, each.known]),
      [
        [appended, 0],
        [0, appended],
      ],
    )
    running.process.kill('SIGTERM')
    await running.finished
    for (const name of ['appended', 'known', 'BoxSealed', 'FactRecorded'])
      assert.equal(counts[name], first[name], `${name}: ${JSON.stringify(counts)}`)
  })
})
