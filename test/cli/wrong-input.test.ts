/**
 * Mistakes of users. Each error names its place and the expected value, with exit code 2 and without a stack trace; no
 * log is changed or created.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loomlog } from '../pipeline/loomlog.ts'
import {
  assertRefused,
  assertSucceeded,
  type CommandFixture,
  commandFixture,
  jsonLines,
  utteranceLine,
} from './fixture.ts'

describe('wrong input', () => {
  let place: CommandFixture
  before(async () => {
    place = await commandFixture()
    const file = await place.file('good.jsonl', utteranceLine({ id: '1' }))
    assertSucceeded(await place.run('ingest', file))
  })
  after(() => place.remove())

  const commands: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['bogus'], /unknown command 'bogus'/],
    [['up', '--port', '99999'], /'99999' is invalid. expected a port/],
    [['why', 'nope'], /no memory nope in default\/default/],
    [['tail', 'nope'], /there is no topic nope: expected one of utterances/],
    [['recall', ''], /query is empty/],
    [['recall', 'x', '--also', 'a/b'], /space is "a\/b": expected a name without a slash/],
    [['recall', 'x', '--true-at', '2026-02-30'], /--true-at is "2026-02-30": expected a day/],
    [['recall', 'x', '--budget', '0'], /--budget is "0": expected a whole number from 1/],
    [['recall', 'x', '--after', '2@999'], /after is 2@999: expected a position in the log/],
    [['tools', 'search'], /there is no tool search: expected one of lexical_search/],
    [['tools', 'lexical_search', 'boat'], /the input is "boat": expected JSON/],
    [['recall', 'x', '--space', 'a/b'], /space is "a\/b": expected a name without a slash/],
  ]
  for (const [args, says] of commands) {
    test(`loomlog ${args.join(' ')}`, async () => assertRefused(await place.run(...args), 2, says))
  }

  test('up refuses a wrong log level before it creates a log', async () => {
    const fresh = join(place.folder, 'fresh')
    const environment = { ...place.environment, LOOMLOG_LOG_LEVEL: 'verbose' }
    const run = await loomlog(['up', '--port', '0', '--dir', fresh], environment)
    assertRefused(run, 2, /LOOMLOG_LOG_LEVEL is "verbose": expected trace, debug, info/)
    assert.equal(existsSync(fresh), false)
  })

  test('up takes its address from the environment, and an option wins', async () => {
    const environment = { ...place.environment, LOOMLOG_HTTP_HOST: '198.51.100.7', LOOMLOG_HTTP_PORT: '7' }
    const addressed = async (...args: readonly string[]) => await loomlog(['up', ...args], environment)
    assertRefused(await addressed(), 2, /port 7 on 198\.51\.100\.7 can't be used/)
    assertRefused(await addressed('--port', '8'), 2, /port 8 on 198\.51\.100\.7 can't be used/)
    assertRefused(await addressed('--host', '203.0.113.9'), 2, /port 7 on 203\.0\.113\.9 can't be used/)
  })

  test('the exit code is 2 whether the argument parser or the command refuses', async () => {
    assertRefused(await place.start('bogus').finished, 2, /unknown command 'bogus'/)
    assertRefused(await place.start('why', 'nope').finished, 2, /no memory nope in default\/default/)
  })

  test('a refusal of the argument parser is JSON too, with --json', async () => {
    const run = await place.run('recall', '--json')
    assertRefused(run, 2, /missing required argument 'query'/)
    const error = { code: 'input-invalid', message: "missing required argument 'query'" }
    assert.deepEqual(jsonLines(run), [{ error }])
  })

  // Other mistakes in files are tested in packages/intake.
  const files: readonly (readonly [name: string, content: string, says: RegExp])[] = [
    ['malformed', `${utteranceLine()}{"oops\n`, /malformed:2: not JSON/],
    [
      'against-the-log',
      utteranceLine({ id: '9' }) + utteranceLine({ id: '1', text: 'Other.' }),
      /against-the-log:2: the id 1 is in default\/default already/,
    ],
  ]
  for (const [name, content, says] of files) {
    test(`ingesting a file with: ${name}`, async () => {
      const run = await place.run('ingest', await place.file(name, content), '--json')
      assertRefused(run, 2, says)
      const [only] = jsonLines(run) as { error: { message: string } }[]
      assert.match(only?.error.message ?? '', says)
    })
  }

  test('a missing file, and a folder in place of a file, are errors', async () => {
    assertRefused(await place.run('ingest', join(place.folder, 'none')), 2, /none can't be read: no such file/)
    assertRefused(await place.run('ingest', place.folder), 2, /can't be read: it is a folder/)
  })

  test('a wrong file creates no log', async () => {
    const dir = join(place.folder, 'never')
    assertRefused(await place.run('ingest', join(place.folder, 'none'), '--dir', dir), 2, /no such file/)
    assert.equal(existsSync(dir), false)
  })

  test('a log is not copied onto itself, by any spelling of its path', async () => {
    const dir = join(place.folder, 'log')
    const copy = (to: string) => place.run('log', 'copy', '--from', `sqlite:${dir}`, '--to', to)
    assertRefused(await copy(`sqlite:${place.folder}/../${basename(place.folder)}/log/`), 2, /onto itself/)
    const settings = { LOOMLOG_REGISTRY_URL: 'http://registry.invalid' }
    const kafka = ['log', 'copy', '--from', 'kafka:a:9092,b:9092/x', '--to', 'kafka:b:9092/x']
    assertRefused(await loomlog(kafka, { ...place.environment, ...settings }), 2, /onto itself/)
  })

  test('a log of garbage, and a file in place of a folder, are errors', async () => {
    const other = await commandFixture()
    const dir = other.folder
    await writeFile(join(dir, 'log.db'), 'garbage')
    assertRefused(await other.run('status', '--dir', dir), 2, /log.db is damaged or no loomlog log/)
    const file = await place.file('plain-file', utteranceLine())
    assertRefused(await place.run('ingest', file, '--dir', file), 1, /plain-file.*cannot be used/)
    await other.remove()
  })

  test('a model other than the live generation’s changes nothing, and is reported', async () => {
    const file = await place.file('again.jsonl', utteranceLine({ id: '1' }))
    const run = await loomlog(['ingest', file], { ...place.environment, LOOMLOG_MODEL: 'small' })
    assert.equal(run.code, 0, run.stderr)
    assert.match(run.stderr, /LOOMLOG_MODEL is small.*rules.*generation start --set model=small/)
  })

  test('a command that only reads creates no log', async () => {
    const dir = join(place.folder, 'nothing')
    const to = join(place.folder, 'target')
    for (const args of [
      ['status', '--dir', dir],
      ['recall', 'x', '--dir', dir],
      ['topics', 'plan', '--dir', dir],
      ['log', 'copy', '--from', `sqlite:${dir}`, '--to', `sqlite:${to}`],
    ]) {
      assertRefused(await place.run(...args), 2, /there is no log in .*nothing: loomlog ingest and loomlog up/)
    }
    assert.deepEqual([existsSync(dir), existsSync(to)], [false, false])
  })
})
