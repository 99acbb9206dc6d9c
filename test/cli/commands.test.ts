/** Output of commands: data on stdout, JSON only with --json, and no control characters from utterances. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { assertSucceeded, type CommandFixture, commandFixture, jsonLines, utteranceLine } from './fixture.ts'

const texts = [
  'I live in Lisbon.',
  'I moved to Porto yesterday.',
  'The \u001b[31mboat\u001b[0m leaks 🙂.',
  'В Порту хорошо.',
  'I drive trams. The rent is 600 euros.',
  'They raised the rent from 600 to 650 euros.',
]

describe('commands', () => {
  let place: CommandFixture
  before(async () => {
    place = await commandFixture()
    const lines = texts.map((text, n) => utteranceLine({ id: `u${n}`, text, at: `2026-03-02T09:0${n}:00Z` }))
    const run = await place.run('ingest', await place.file('talk.jsonl', lines.join('')), '--json')
    assertSucceeded(run)
    const [only, ...more] = jsonLines(run)
    // The utterances, the pause of their conversation, and that of the space.
    assert.deepEqual([only?.appended, only?.known, more], [texts.length + 2, 0, []])
  })
  after(() => place.remove())

  for (const args of [
    ['recall', 'nothing like it', '--kind', 'event'],
    ['why', 'u0'],
    ['status'],
    ['tail', 'utterances'],
    ['dump'],
  ]) {
    test(`loomlog ${args.join(' ')} --json prints JSON only`, async () => {
      const run = await place.run(...args, '--json')
      assertSucceeded(run)
      assert.equal(run.stderr, '')
      assert.ok(jsonLines(run).length > 0)
    })
  }

  test('recall finds utterances in any script, with its sources, and why leads to its place in the log', async () => {
    for (const [query, id] of [
      ['boat', 'u2'],
      ['Порту', 'u3'],
    ]) {
      const [answer] = jsonLines(await place.run('recall', query ?? '', '--kind', 'utterance', '--json'))
      const memories = (answer?.memories ?? []) as { id: string; sources: string[] }[]
      assert.deepEqual([memories[0]?.id, memories[0]?.sources], [id, [id]])
    }
    const [facts] = jsonLines(await place.run('recall', 'Porto', '--kind', 'fact', '--json'))
    const [fact] = (facts?.memories ?? []) as { id: string }[]
    const why = await place.run('why', fact?.id ?? '')
    assert.match(why.stdout, /^fact .*by rules, derivation .*facts\.[0-9a-f]+\/\d+@\d+/)
    assert.match(why.stdout, /utterance u1 .*\(appended; utterances\/\d@1\)/)
  })

  test('why counts the embeddings of a memory in one line, and lists them as JSON', async () => {
    const [boxes] = jsonLines(await place.run('recall', 'rent', '--kind', 'box', '--json'))
    const [box] = (boxes?.memories ?? []) as { id: string }[]
    const [why] = jsonLines(await place.run('why', box?.id ?? '', '--json'))
    const asked = why?.asked as { task: string }[]
    const count = asked.filter(({ task }) => task === 'embed').length
    assert.ok(count > 1, String(count))
    const { stdout } = await place.run('why', box?.id ?? '')
    assert.deepEqual(
      stdout.match(/.*embed.*/g)?.map((line) => line.trim()),
      [`${count} embeddings by openai:fake-embedder-16`],
    )
  })

  test('evidence is shown as an agent gets it: under its days, numbered, with the source of each number', async () => {
    const { stdout } = await place.run('recall', 'boat', '--kind', 'utterance', '--budget', '60')
    assert.match(stdout, /^\d+ \w{3,4} \d{4}\n1 \w+: /)
    assert.match(stdout, /\n\n1 {2}utterance u\d, \d{4}-\d\d-\d\d \d\d:\d\d, \d\.\d\d(, since changed: see u\d)?\n/)
    const [{ text, memories }] = jsonLines(await place.run('recall', 'boat', '--json', '--budget', '60')) as [
      { text: string; memories: { id: string }[] },
    ]
    assert.ok(memories.length > 0 && text.includes(`\n${memories.length} `), text)
  })

  test('the source line of a message with one outdated sentence says that a part of it changed', async () => {
    const { stdout } = await place.run('recall', 'How much is the rent?', '--kind', 'utterance')
    assert.match(stdout, / The rent is 600 euros\. \(since changed\)\n/)
    assert.match(stdout, /utterance u4, .*, partly changed since: see u5\n/)
  })

  test('control characters in an utterance cannot take over the terminal', async () => {
    const { stdout } = await place.run('recall', 'boat', '--kind', 'utterance')
    assert.match(stdout, /·\[31mboat/)
    assert.ok(!stdout.includes('\u001b[31m'))
  })

  test('status names the utterances in languages that the rules don’t read, and what to do', async () => {
    const { stdout } = await place.run('status')
    assert.match(stdout, /\n1 of 6 utterances are in languages the rules don't read \(ru 1\): .* LOOMLOG_MODEL/)
  })

  test('status shows the progress of each stage and view in columns', async () => {
    const { stdout } = await place.run('status')
    const rows = stdout.split('\n').slice(1, 1 + 1 + 4 + 5)
    const column = rows[0]?.indexOf('lag') ?? -1
    for (const row of rows.slice(1)) assert.match(row.slice(column), /^0 /, row)
    assert.match(stdout, /\npublisher +0 +\d+ +\d+ +nothing publishes now: loomlog up does\n/)
    assert.match(stdout, /\nparked inputs that wait for a retry: 0; log \d+\.\d MB, views \d+\.\d MB\n$/)
  })

  test('a key is printed once; the list shows its id, its scopes and that it is revoked', async () => {
    const made = await place.run('keys', 'create', '--tenant', 'acme', '--scope', 'recall', '--space', 'team', '--json')
    assertSucceeded(made)
    const { id, key } = jsonLines(made)[0] as { id: string; key: string }
    assert.ok(key.startsWith(`llk_${id}_`))
    assertSucceeded(await place.run('keys', 'revoke', id))
    const listed = await place.run('keys', 'list')
    assert.match(
      listed.stdout,
      new RegExp(`^${id}  .*  never +tenant acme, spaces team +recall +none recorded +revoked`, 'm'),
    )
    assert.ok(!listed.stdout.includes(key))
  })

  test('a reader that closes the pipe early, as head does, is no failure', async () => {
    const main = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))
    const shell = `"${process.execPath}" "${main}" tail utterances | head -n 1; echo "\${PIPESTATUS[0]}"`
    const child = spawn('bash', ['-c', shell], { env: { ...process.env, ...place.environment } })
    const output: string[] = []
    child.stdout.on('data', (data) => output.push(String(data)))
    child.stderr.on('data', (data) => output.push(String(data)))
    await once(child, 'close')
    assert.match(output.join(''), /^\{.*\}\n0\n$/)
  })

  test('under an older Node, which reads no TypeScript, the error names the version to use', () => {
    const executable = fileURLToPath(new URL('../../packages/cli/loomlog.js', import.meta.url))
    const older = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })'
    const { status, stderr } = spawnSync(process.execPath, ['--import', older, executable, '--help'], {
      encoding: 'utf8',
    })
    assert.equal(status, 2)
    assert.match(stderr, /^loomlog: runs on Node 24 or later; this is Node 20\.20\.2\. Run `npx loomlog`/)
  })
})
