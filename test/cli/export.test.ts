/** `loomlog export` to Markdown, CSV, Parquet and CloudEvents: from a folder and from a server. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import type { Environment, ProcessResult } from '../pipeline/loomlog.ts'
import {
  assertRefused,
  assertSucceeded,
  type CommandFixture,
  commandFixture,
  jsonLines,
  utteranceLine,
} from './fixture.ts'

const texts = [
  'I live in Lisbon.',
  'I have a cat named "Miso", and a dog.',
  'I moved to Porto.',
  'I like =SUM(A1) jokes.',
]

/** A device that refuses every byte. */
const fullDevice = '/dev/full'

/** Runs a command whose output goes to the device. */
async function loomlogIntoFull(args: readonly string[], environment: Environment): Promise<ProcessResult> {
  const main = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))
  const output = await open(fullDevice, 'w')
  const env = { ...process.env, NO_COLOR: '1', ...environment }
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', output.fd, 'pipe'] })
  let stderr = ''
  child.stderr?.on('data', (data) => (stderr += data))
  const [code] = await once(child, 'close')
  await output.close()
  return { code, signal: null, stdout: '', stderr }
}

describe('export', () => {
  let place: CommandFixture
  let url: string
  const out = (name: string) => join(place.folder, name)
  const exported = async (...args: readonly string[]) => {
    const run = await place.run('export', '--space', 'team', '--json', ...args)
    assertSucceeded(run)
    return jsonLines(run)[0] ?? {}
  }
  const filesOf = async (folder: string) => {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md')).sort()
    return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const))
  }

  before(async () => {
    place = await commandFixture()
    const lines = texts.map((text, n) => utteranceLine({ id: `u${n}`, text, at: `2026-03-0${n + 2}T09:00:00Z` }))
    assertSucceeded(await place.run('ingest', await place.file('talk.jsonl', lines.join('')), '--space', 'team'))
    const server = place.start('up', '--port', '0', '--json')
    const [started] = (await once(server.process.stdout as Readable, 'data')) as [Buffer]
    url = JSON.parse(started.toString()).url
  })
  after(() => place.remove())

  test('facts in Parquet are those of the memory, with times and lists, and are read back by another library', async () => {
    const { facts } = await exported('--as', 'parquet', '--to', out('facts.parquet'))
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out('facts.parquet')) })
    assert.equal(rows.length, facts)
    const recorded = jsonLines(await place.run('dump', '--json')).flatMap(({ event }) => {
      const { type, id, text, sources, saidAt } = event as { [field: string]: string }
      return type === 'FactRecorded' ? [{ id, text, sources, said_at: new Date(saidAt ?? '') }] : []
    })
    assert.ok(recorded.length > 0)
    const wanted = new Map(recorded.map((fact) => [fact.id, fact]))
    for (const { id, text, sources, said_at, space, state } of rows) {
      assert.deepEqual({ id, text, sources, said_at }, wanted.get(String(id)))
      assert.deepEqual([space, state], ['team', 'current'])
    }
  })

  test('CSV has the same facts, also from a server; --state all adds the retired ones', async () => {
    const { facts } = await exported('--as', 'csv', '--to', out('facts.csv'))
    const { facts: fromServer } = await exported('--as', 'csv', '--to', out('served.csv'), '--url', url)
    assert.equal(fromServer, facts)
    const linesOf = async (name: string) => (await readFile(out(name), 'utf8')).split('\r\n').sort()
    assert.deepEqual(await linesOf('served.csv'), await linesOf('facts.csv'))
    const [fact] = await parquetReadObjects({ file: await asyncBufferFromFile(out('facts.parquet')) })
    assertSucceeded(await place.run('correct', String(fact?.id), '--retract', '--space', 'team', '--by', 'Maya'))
    const { facts: current } = await exported('--as', 'csv', '--to', out('current.csv'))
    const { facts: all } = await exported('--as', 'csv', '--to', out('all.csv'), '--state', 'all')
    assert.deepEqual([current, all], [Number(facts) - 1, facts])
    assert.match(await readFile(out('all.csv'), 'utf8'), new RegExp(`^${fact?.id},.*,retired,`, 'm'))
  })

  test('documents are files with the words of the utterances that they cite, the same from a folder and a server', async () => {
    const { documents, profiles } = await exported('--as', 'markdown', '--to', out('folder'))
    await exported('--as', 'markdown', '--to', out('served'), '--url', url)
    const files = await filesOf(out('folder'))
    assert.equal(files.length, Number(documents) + Number(profiles))
    assert.ok(
      files.some(([, text]) => /\[\^1\]: Maya: I .*\(`u\d`, 2026-03-0\d\)/.test(text)),
      JSON.stringify(files),
    )
    // The tenant of a server's key is known to the server alone.
    const withoutTenant = files.map(([name, text]) => [name, text.replace('tenant: "default"\n', '')])
    assert.deepEqual(await filesOf(out('served')), withoutTenant)
  })

  test('a topic is CloudEvents, one a line, on stdout too; the feed has those of the API', async () => {
    const run = await place.run(
      'export',
      '--space',
      'team',
      '--as',
      'cloudevents',
      '--topic',
      'utterances',
      '--to',
      '-',
    )
    assertSucceeded(run)
    const events = jsonLines(run)
    const first = events[0] as { readonly [field: string]: unknown }
    assert.deepEqual(
      [first.specversion, first.id, first.type, first.source, (first.data as { text: string }).text],
      ['1.0', 'u0', 'loomlog.record.UtteranceAppended', '/tenants/default/spaces/team/topics/utterances', texts[0]],
    )
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
    const feed = ['--as', 'cloudevents', '--topic', 'memory-events', '--to']
    assert.ok(Number((await exported(...feed, out('feed.jsonl'))).events) > 0)
    const served = await exported(...feed, out('served.jsonl'), '--url', url)
    assert.ok(Number(served.events) > 0)
    const [line = ''] = (await readFile(out('feed.jsonl'), 'utf8')).split('\n')
    assert.match(JSON.parse(line).type, /^loomlog\./)
  })

  test('a wrong request names its option, and writes nothing', async () => {
    const refused = async (says: RegExp, ...args: readonly string[]) =>
      assertRefused(await place.run('export', ...args), 2, says)
    const csv = ['--as', 'csv', '--to']
    await refused(/no utterances in the space x/, ...csv, out('none.csv'), '--space', 'x')
    await refused(/no utterances in the space x/, ...csv, out('none.csv'), '--space', 'x', '--url', url)
    await refused(/there is no folder/, ...csv, join(place.folder, 'missing', 'a.csv'), '--space', 'team')
    await refused(/which is no file/, ...csv, place.folder, '--space', 'team')
    for (const as of ['csv', 'parquet', 'archive']) {
      const form = ['--space', 'team', '--as', as, '--force', '--to']
      await refused(/^loomlog: --to is "": expected/m, ...form, '')
      await refused(/which is no file/, ...form, '.')
      await refused(/which is no file/, ...form, `${out('newdir')}/`)
      await refused(/there is no folder .*talk\.jsonl/, ...form, join(out('talk.jsonl'), 'x'))
    }
    await refused(/^loomlog: --to is "": expected/m, '--space', 'team', '--as', 'markdown', '--to', '')
    await refused(/the working folder/, '--space', 'team', '--as', 'markdown', '--to', '.')
    await refused(/--state is for csv and parquet/, '--as', 'archive', '--state', 'all', '--to', out('none'))
    await refused(/needs --topic/, '--as', 'cloudevents', '--to', out('none'))
    await refused(
      /--topic is "nothing": expected one of utterances/,
      '--as',
      'cloudevents',
      '--topic',
      'nothing',
      '--to',
      out('none'),
    )
    await refused(
      /--topic is keys, whose records belong to no space/,
      '--as',
      'cloudevents',
      '--topic',
      'keys',
      '--to',
      out('none'),
    )
    await refused(/reads the log/, '--as', 'archive', '--to', out('none'), '--url', url)
    await refused(/'pdf' is invalid/, '--as', 'pdf', '--to', out('none'))
    const names = await readdir(place.folder)
    assert.deepEqual(
      names.filter((name) => /none|partial/.test(name)),
      [],
    )
  })

  test('a symbolic link is refused as it is, also with a slash after its name', async () => {
    await mkdir(out('aim'))
    await symlink(out('aim'), out('link'))
    for (const to of [out('link'), `${out('link')}/`])
      assertRefused(await place.run('export', '--space', 'team', '--as', 'markdown', '--to', to), 2, /is no folder/)
    assertSucceeded(await place.run('export', '--space', 'team', '--as', 'csv', '--to', join(out('link'), 'a.csv')))
    assert.deepEqual(await readdir(out('aim')), ['a.csv'])
  })

  test('a target that takes no bytes ends an export of any form with one line', {
    skip: !existsSync(fullDevice),
  }, async () => {
    for (const as of ['csv', 'parquet', 'archive']) {
      const form = ['export', '--space', 'team', '--as', as, '--to']
      assertRefused(
        await place.run(...form, '/proc/x.csv'),
        2,
        /^loomlog: --to is "\/proc\/x.csv", which can't be made/m,
      )
      assertRefused(await loomlogIntoFull([...form, '-'], place.environment), 1, /^loomlog: ENOSPC/m)
    }
  })

  test('a mistyped space is refused before an earlier export is replaced', async () => {
    const file = out('kept.jsonl')
    for (const topic of ['facts', 'utterances', 'memory-events']) {
      await writeFile(file, 'kept')
      const run = await place.run(
        'export',
        '--as',
        'cloudevents',
        '--topic',
        topic,
        '--space',
        'taem',
        '--to',
        file,
        '--force',
      )
      assertRefused(run, 2, /there are no utterances in .*taem/)
      assert.equal(await readFile(file, 'utf8'), 'kept')
    }
    const feed = ['--as', 'cloudevents', '--topic', 'memory-events', '--space', 'taem', '--to', file, '--force']
    assertRefused(await place.run('export', ...feed, '--url', url), 2, /there are no utterances in the space taem/)
    assert.equal(await readFile(file, 'utf8'), 'kept')
  })

  test('--force replaces an earlier export, and no folder of others', async () => {
    const markdown = ['export', '--space', 'team', '--as', 'markdown', '--to']
    assertSucceeded(await place.run(...markdown, out('again')))
    await writeFile(join(out('again'), 'stale.md'), '')
    assertRefused(await place.run(...markdown, out('again')), 2, /an earlier export: --force replaces it/)
    assertSucceeded(await place.run(...markdown, out('again'), '--force'))
    assert.ok(!(await readdir(out('again'))).includes('stale.md'))
    await mkdir(out('mine'))
    await writeFile(join(out('mine'), 'letter.txt'), 'keep')
    assertRefused(await place.run(...markdown, out('mine'), '--force'), 2, /holds files of others/)
    assert.equal(await readFile(join(out('mine'), 'letter.txt'), 'utf8'), 'keep')
  })
})
