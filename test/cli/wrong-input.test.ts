/** Mistakes of users: each is answered with its place and the expected value, exit code 2, and no stack trace; no log is changed or created. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loomlog } from '../pipeline/loomlog.ts'
import { assertDone, assertRefused, jsonLines, line, type Workplace, workplace } from './workplace.ts'

describe('wrong input', () => {
  let place: Workplace
  before(async () => {
    place = await workplace()
    const file = await place.file('good.jsonl', line({ id: '1' }))
    assertDone(await place.run('ingest', file))
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

  test('a process ends with that code, whether the argument parser or the command refuses', async () => {
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
    ['malformed', `${line()}{"oops\n`, /malformed:2: not JSON/],
    [
      'against-the-log',
      line({ id: '9' }) + line({ id: '1', text: 'Other.' }),
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

  test('a file that is missing, and one that is a folder', async () => {
    assertRefused(await place.run('ingest', join(place.folder, 'none')), 2, /none can't be read: no such file/)
    assertRefused(await place.run('ingest', place.folder), 2, /can't be read: it is a folder/)
  })

  test('where a file is wrong no log is made for it', async () => {
    const dir = join(place.folder, 'never')
    assertRefused(await place.run('ingest', join(place.folder, 'none'), '--dir', dir), 2, /no such file/)
    assert.equal(existsSync(dir), false)
  })

  test('a log is not copied onto itself, however it is written', async () => {
    const dir = join(place.folder, 'log')
    const copy = (to: string) => place.run('log', 'copy', '--from', `sqlite:${dir}`, '--to', to)
    assertRefused(await copy(`sqlite:${place.folder}/../${basename(place.folder)}/log/`), 2, /onto itself/)
    const settings = { LOOMLOG_REGISTRY_URL: 'http://registry.invalid' }
    const kafka = ['log', 'copy', '--from', 'kafka:a:9092,b:9092/x', '--to', 'kafka:b:9092/x']
    assertRefused(await loomlog(kafka, { ...place.environment, ...settings }), 2, /onto itself/)
  })

  test('a log that is garbage, and a folder that is a file', async () => {
    const other = await workplace()
    const dir = other.folder
    await writeFile(join(dir, 'log.db'), 'garbage')
    assertRefused(await other.run('status', '--dir', dir), 2, /log.db is damaged or no loomlog log/)
    const file = await place.file('plain-file', line())
    assertRefused(await place.run('ingest', file, '--dir', file), 1, /plain-file.*cannot be used/)
    await other.remove()
  })

  test('a model that the live generation was not made with changes nothing, and is spoken of', async () => {
    const file = await place.file('again.jsonl', line({ id: '1' }))
    const run = await loomlog(['ingest', file], { ...place.environment, LOOMLOG_MODEL: 'small' })
    assert.equal(run.code, 0, run.stderr)
    assert.match(run.stderr, /LOOMLOG_MODEL is small.*rules.*generation start --set model=small/)
  })

  test('looking at a log that is not there makes none', async () => {
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
