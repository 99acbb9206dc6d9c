/** `loomlog export --as archive`, and `loomlog ingest` of it: out and in again, the memory is the same. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Fixture, fixture, ingestArgs } from '../pipeline/fixture.ts'
import { loomlog, startProgram } from '../pipeline/loomlog.ts'
import { assertRefused, utteranceLine } from './fixture.ts'

const promises = join(import.meta.dirname, '../../examples/promises/extension.ts')

/** Commands on one folder. */
function commandsOn(made: Fixture, dir: string, settings: { readonly [name: string]: string } = {}) {
  const environment = { ...made.environment, ...settings }
  const run = (...args: readonly string[]) => loomlog([...args, '--dir', dir], environment)
  const done = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json')
    assert.equal(code, 0, stderr)
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const dump = async (space: string) => (await done('dump')).filter((line) => line.space === `default/${space}`)
  return { run, done, dump }
}

async function archiveOf(made: Fixture, dir: string, name = 'space.gz'): Promise<string> {
  const file = join(made.dir, name)
  await commandsOn(made, dir).done('export', '--as', 'archive', '--space', 's', '--to', file, '--force')
  return file
}

const rules = { LOOMLOG_MODEL: '', LOOMLOG_PARTITIONS: '1', LOOMLOG_EXTENSIONS: promises }

test('a memory of a model with a parked input and its retry comes back equal, in a log with other spaces, and asks no model', async (t) => {
  const made = await fixture(t, 12, { LOOMLOG_PARTITIONS: '1' })
  const from = commandsOn(made, join(made.dir, 'from'))
  const refused = Array.from({ length: 1_000 }, () => ({ fault: 'refusal' as const }))
  made.endpoint.setScript(refused)
  await from.done('ingest', made.file, '--space', 's')
  made.endpoint.setScript([])
  const [parked] = await from.done('parked', 'list')
  assert.ok(parked.length > 0)
  for (const { id } of parked) await from.done('parked', 'retry', id)
  await from.done('ingest', made.file, '--space', 's')
  const original = await from.dump('s')
  assert.ok(original.some(({ event }) => event.type === 'FactRecorded'))
  const file = await archiveOf(made, join(made.dir, 'from'))

  const to = commandsOn(made, join(made.dir, 'to'), { LOOMLOG_PARTITIONS: '3' })
  await to.done('ingest', made.file, '--space', 'other')
  const [planned] = await to.done('ingest', file, '--dry-run')
  assert.deepEqual([planned.space, await to.dump('s')], ['s', []])
  made.endpoint.reset()
  const [{ appended, answers, otherRecipes }] = await to.done('ingest', file)
  assert.deepEqual([appended > 12, answers > 0, otherRecipes], [true, true, []])
  assert.equal(made.endpoint.calls().chat, 0)
  assert.deepEqual(await to.dump('s'), original)
})

test('corrections, undone evidence and the events of an extension come back equal, and a second reading changes nothing', async (t) => {
  const made = await fixture(t, 1, rules)
  const lines = ['I live in Lisbon.', 'I have a cat named Miso.', 'I will send the report tomorrow.', 'I live in Oslo.']
  const talk = lines.map((text, n) =>
    utteranceLine({ id: `u${n}`, text, at: `2026-03-0${n + 2}T09:00:00Z`, speaker: n === 3 ? 'Tom' : 'Maya' }),
  )
  await writeFile(made.file, talk.join(''))
  const [fromDir, toDir] = [join(made.dir, 'from'), join(made.dir, 'to')]
  const from = commandsOn(made, fromDir)
  await from.done('ingest', made.file, '--space', 's')
  const fact = (await from.dump('s')).find(({ event }) => event.type === 'FactRecorded' && /Lisbon/.test(event.text))
  await from.done('correct', fact?.event.id, '--text', 'Maya lives in Porto.', '--space', 's', '--by', 'Maya')
  await from.done('retract', '--speaker', 'Tom', '--space', 's', '--by', 'Maya')
  const original = await from.dump('s')
  const types = new Set(original.map(({ event }) => event.type))
  for (const type of ['CorrectionApplied', 'FactRetracted', 'PromiseMade']) assert.ok(types.has(type), type)

  const file = await archiveOf(made, fromDir)
  const to = commandsOn(made, toDir)
  const [first] = await to.done('ingest', file)
  assert.deepEqual(await to.dump('s'), original)
  const [again] = await to.done('ingest', file)
  assert.deepEqual([again.appended, again.known, again.answers], [0, first.appended, 0])
  assert.deepEqual(await to.dump('s'), original)
  assert.deepEqual(await readFile(await archiveOf(made, toDir, 'again.gz')), await readFile(file), 'the same bytes')
})

test('killed after any of its appends, the space is empty or whole, and a repetition makes the memory of an undisturbed reading', async (t) => {
  const made = await fixture(t, 520, { ...rules, LOOMLOG_EMBEDDER: 'words', LOOMLOG_EXTENSIONS: '' })
  const [fromDir, toDir] = [join(made.dir, 'from'), join(made.dir, 'to')]
  const from = commandsOn(made, fromDir)
  await from.done('ingest', made.file, '--space', 's')
  const file = await archiveOf(made, fromDir)
  const utterances = ['export', '--as', 'cloudevents', '--topic', 'utterances', '--space', 's', '--to', '-']
  const [{ appended: whole }] = await commandsOn(made, join(made.dir, 'undisturbed')).done('ingest', file)
  const to = commandsOn(made, toDir)
  // The definition of a generation begins again after a kill.
  await to.done('init')
  const killAtFirst = { ...made.environment, LOOMLOG_CRASH_AT: 'append.after-commit:1' }
  const run = () => startProgram(['ingest', file, '--dir', toDir, '--json'], killAtFirst).finished
  let kills = 0
  for (let last = await run(); last.code !== 0; last = await run()) {
    assert.equal(last.signal, 'SIGKILL', last.stderr)
    kills += 1
    const { stdout } = await to.run(...utterances)
    assert.ok([0, whole].includes(stdout.split('\n').filter(Boolean).length), stdout)
  }
  assert.ok(kills >= 1, `${kills}`)
  const [{ appended, known, answers }] = await to.done('ingest', file)
  assert.deepEqual([appended, known, answers], [0, whole, 0])
  assert.deepEqual(await to.dump('s'), await from.dump('s'))
})

test('a damaged, cut or forged archive is refused with its line, and no log is made', async (t) => {
  const made = await fixture(t, 4, rules)
  const fromDir = join(made.dir, 'from')
  await commandsOn(made, fromDir).done(...ingestArgs(made, fromDir), '--space', 's')
  const bytes = await readFile(await archiveOf(made, fromDir))
  const lines = gunzipSync(bytes).toString().trimEnd().split('\n')
  const first = lines.findIndex((line) => line.startsWith('{"topic":"utterances"'))
  const changed = (at: number, change: (line: string) => string) =>
    lines.map((line, index) => (index === at ? change(line) : line))
  const at = first + 1
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['cut', lines.slice(0, -1), new RegExp(`:${lines.length - 1}: the archive is cut`)],
    ['a word', changed(first, (line) => line.replace('boat', 'goat')), /the trailer's sha256 is /],
    ['a line fewer', lines.toSpliced(first, 1), /the trailer's utterances is /],
    [
      'another space',
      changed(first, (line) => line.replace('"space":"s"', '"space":"x"')),
      new RegExp(`:${at}: tenant and space is "default/x"`),
    ],
    [
      'another type',
      changed(first, (line) => line.replace('UtteranceAppended', 'KeyCreated')),
      new RegExp(`:${at}: type is "KeyCreated"`),
    ],
    [
      'a lost field',
      changed(first, (line) => line.replace('"role"', '"admin":true,"role"')),
      new RegExp(`:${at}: .*a log can't hold /admin true`),
    ],
    [
      'a wrong field',
      changed(first, (line) => line.replace(/"at":\d+/, '"at":"now"')),
      new RegExp(`:${at}: UtteranceAppended: `),
    ],
    ['no JSON', changed(first, () => '{'), new RegExp(`:${at}: not JSON`)],
    [
      'a newer version',
      changed(0, (line) => line.replace('"version":1', '"version":2')),
      /:1: version is 2: expected 1/,
    ],
    ['no recipes', changed(0, (line) => line.replace('"stages":[', '"stages":[1,')), /:1: generation is /],
    ['a slash', changed(0, (line) => line.replace('"space":"s"', '"space":"a/b"')), /:1: space is "a\/b"/],
    ['more', [...lines, lines[first] ?? ''], /expected no line after the trailer/],
  ]
  const dir = join(made.dir, 'none')
  for (const [name, content, says] of cases) {
    const file = join(made.dir, `${name}.gz`)
    await writeFile(file, gzipSync(`${content.join('\n')}\n`))
    assertRefused(await loomlog(['ingest', file, '--dir', dir], made.environment), 2, says)
  }
  const half = join(made.dir, 'half.gz')
  await writeFile(half, bytes.subarray(0, bytes.length / 2))
  assertRefused(
    await loomlog(['ingest', half, '--dir', dir], made.environment),
    2,
    /half\.gz:\d+: the gzip is damaged or cut/,
  )
  assert.ok(!(await readdir(made.dir)).includes('none'))
})

test('a space with other records refuses the archive before a write; one that continues the archive knows all of it', async (t) => {
  const made = await fixture(t, 4, rules)
  const fromDir = join(made.dir, 'from')
  const from = commandsOn(made, fromDir)
  await from.done('ingest', made.file, '--space', 's')
  const file = await archiveOf(made, fromDir)
  const talk = join(made.dir, 'later.jsonl')
  await writeFile(talk, utteranceLine({ id: 'later' }))

  const other = commandsOn(made, join(made.dir, 'other'))
  await other.done('ingest', talk, '--space', 's')
  const before = await other.dump('s')
  assertRefused(
    await other.run('ingest', file),
    2,
    /default\/s has other records: the log has later where the archive has u0/,
  )
  assert.deepEqual(await other.dump('s'), before)

  await from.done('ingest', talk, '--space', 's')
  const [{ appended, answers }] = await from.done('ingest', file)
  assert.deepEqual([appended, answers], [0, 0])
})

test('an archive stays under its name, is refused beside a server and by one, and replaces no file without --force', async (t) => {
  const made = await fixture(t, 4, rules)
  const fromDir = join(made.dir, 'from')
  const from = commandsOn(made, fromDir)
  await from.done('ingest', made.file, '--space', 's')
  const file = await archiveOf(made, fromDir)
  const to = commandsOn(made, join(made.dir, 'to'))
  assertRefused(await to.run('ingest', file, '--space', 'x'), 2, /--space is x, and .* is of s: the ids/)
  assertRefused(
    await from.run('export', '--as', 'archive', '--space', 's', '--to', file),
    2,
    /exists: --force replaces it/,
  )
  assertRefused(
    await from.run('export', '--as', 'archive', '--space', 'x', '--to', `${file}x`),
    2,
    /no utterances in default\/x/,
  )

  const server = startProgram(['up', '--port', '0', '--json', '--dir', join(made.dir, 'to')], made.environment)
  t.after(() => server.process.kill('SIGKILL'))
  const [started] = (await once(server.process.stdout as Readable, 'data')) as [Buffer]
  const { url } = JSON.parse(started.toString())
  assertRefused(await loomlog(['ingest', file, '--url', url], made.environment), 2, /read into a folder/)
  assertRefused(await to.run('ingest', file), 1, /another process derives .*: stop it first/)
  assert.deepEqual(
    (await readdir(made.dir)).filter((name) => name.endsWith('.partial')),
    [],
  )
})
