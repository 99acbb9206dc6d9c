/** `loomlog ingest` of other programs' files, of standard input, and of many spaces; and its dry run. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  assertRefused,
  assertSucceeded,
  type CommandFixture,
  commandFixture,
  jsonLines,
  utteranceLine,
} from './fixture.ts'

const main = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))

describe('ingest of other files', () => {
  let place: CommandFixture
  const reply = async (...args: readonly string[]) => {
    const run = await place.run(...args, '--json')
    assertSucceeded(run)
    return jsonLines(run)[0] as { readonly [name: string]: unknown }
  }
  before(async () => {
    place = await commandFixture()
  })
  after(() => place.remove())

  test('chat messages are recognised, get the time of the file, and change nothing when repeated at another time', async () => {
    const chat = await place.file(
      'moving.json',
      '[{"role":"user","content":"I moved to Porto."},{"role":"assistant","content":"Good luck!"}]',
    )
    const first = await place.run('ingest', chat, '--space', 'chat', '--speaker', 'Maya')
    assertSucceeded(first)
    assert.match(first.stderr, /moving\.json is recognised as chat/)
    assert.match(
      first.stderr,
      /2 messages have no time: they get that of the file, \d{4}-.*\.\d{3}Z; --at gives another/,
    )
    await utimes(chat, new Date(0), new Date(0))
    const again = await reply('ingest', chat, '--space', 'chat', '--speaker', 'Maya')
    assert.deepEqual([again.appended, again.known], [0, 4])
    const { text } = await reply('recall', 'Where does Maya live?', '--space', 'chat')
    assert.match(String(text), /Maya: I moved to Porto\./)
  })

  test('standard input is read as a file is, and nothing is left of it', async () => {
    const ingested = async (input: string, ...args: readonly string[]) => {
      const child = spawn(process.execPath, [main, 'ingest', '-', '--json', ...args], {
        env: { ...process.env, ...place.environment, TMPDIR: place.folder },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      child.stdin.end(input)
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { stdout, stderr }
    }
    const { stdout, stderr } = await ingested(utteranceLine({ id: 's1' }), '--space', 'stdin', '--format', 'jsonl')
    assert.equal(JSON.parse(stdout).appended, 3, stderr)
    const wrong = await ingested('{"role":"user","content":"Hello."}')
    assert.match(
      wrong.stderr,
      /standard input:1: conversation is missing: expected one in each message, or --conversation NAME/,
    )
  })

  test('the lines of one file fill many spaces and tenants, each with its pauses', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => utteranceLine({ id: `m${n}`, space: `many-${n % 20}` }))
    const file = await place.file('many.jsonl', [...lines, utteranceLine({ tenant: 'acme', space: 'theirs' })].join(''))
    const { appended, known } = await reply('ingest', file)
    assert.deepEqual([appended, known], [41 + 21 + 21, 0])
    assert.match(String((await reply('recall', 'Lisbon', '--space', 'many-7')).text), /I live in Lisbon/)
    assert.match(
      String((await reply('recall', 'Lisbon', '--space', 'theirs', '--tenant', 'acme')).text),
      /I live in Lisbon/,
    )
    assert.equal((await reply('ingest', file)).appended, 0)
  })

  test('a dry run counts everything, lists every fault, and neither appends nor creates a log', async () => {
    const dir = join(place.folder, 'never')
    const good = await place.file(
      'good.jsonl',
      utteranceLine({ id: 'g1' }) + utteranceLine({ id: 'g2', speaker: 'Tomas', space: 'x' }),
    )
    const dry = await reply('ingest', good, '--dry-run', '--dir', dir)
    const { from, to, ...counts } = dry
    assert.deepEqual(counts, {
      dryRun: true,
      format: 'jsonl',
      events: 6,
      known: 0,
      utterances: 2,
      conversations: 2,
      spaces: 2,
      speakers: 2,
      untimed: 0,
      leftOut: {},
      faultCount: 0,
      faults: [],
    })
    assert.deepEqual([from, to], ['2026-03-02T09:00:00.000Z', '2026-03-02T09:00:00.000Z'])
    const bad = await place.file('bad.jsonl', `${utteranceLine({ id: 'b1' })}{"oops\n${utteranceLine({ text: '' })}`)
    const run = await place.run('ingest', bad, '--dry-run', '--json', '--dir', dir)
    assert.equal(run.code, 1, run.stderr)
    const { faultCount, faults } = jsonLines(run)[0] as { faultCount: number; faults: string[] }
    assert.equal(faultCount, 2)
    assert.match(faults[0] ?? '', /bad\.jsonl:2: not JSON/)
    assert.match(faults[1] ?? '', /bad\.jsonl:3: text is ""/)
    assertRefused(
      await place.run('ingest', bad, '--dir', dir),
      2,
      /bad\.jsonl:2: not JSON.*; and 1 more faults, which --dry-run lists/,
    )
    assert.equal(existsSync(dir), false)
  })

  test('a dry run on a log counts the known events, and lists the conflicts', async () => {
    const file = await place.file('again.jsonl', utteranceLine({ id: 'a1' }))
    await reply('ingest', file, '--space', 'again')
    assert.equal((await reply('ingest', file, '--space', 'again', '--dry-run')).known, 3)
    const other = await place.file('other.jsonl', utteranceLine({ id: 'a1', text: 'I row.' }))
    const run = await place.run('ingest', other, '--space', 'again', '--dry-run', '--json')
    assert.equal(run.code, 1)
    assert.match(
      String(jsonLines(run)[0]?.faults),
      /other\.jsonl:1: the id a1 is in default\/again already, with other content/,
    )
    const wrong = await place.file('wrong.jsonl', '{"oops\n[]\n')
    const listed = await place.run('ingest', wrong, '--space', 'again', '--format', 'jsonl', '--dry-run', '--json')
    assert.deepEqual([jsonLines(listed)[0]?.known, jsonLines(listed)[0]?.faultCount], [null, 2], listed.stderr)
    assert.equal((await reply('ingest', file, '--space', 'again')).appended, 0)
  })

  test('a wrong option is refused before the file is read', async () => {
    for (const [option, value, says] of [
      ['--at', 'soon', /--at is "soon": expected a time in ISO 8601/],
      ['--speaker', ' ', /--speaker is " ": expected 1 to 256 characters/],
      ['--format', 'xml', /'xml' is invalid.*Allowed choices are jsonl, chat, chatgpt, claude, mem0, zep, locomo/],
    ] as const)
      assertRefused(await place.run('ingest', 'none.jsonl', option, value), 2, says)
  })
})
