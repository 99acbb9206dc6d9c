/**
 * Runs docs/transcript.md: every command in one shell. Each output is compared with the document's. A command that
 * reads a file is repeated until the outputs are equal, since other processes write the file. At the end the
 * subscriber's stored feed is compared with the views.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { factRow, linesOf } from '../eval/rederive/lines.ts'
import { eventually } from '../eventually.ts'
import { fakeModelAnswer } from './fake-model.ts'
import { fixture } from './fixture.ts'
import { viewMemories } from './memory-feed.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const document = readFileSync(join(root, 'docs/transcript.md'), 'utf8')

interface ShellCommand {
  readonly command: string
  readonly output: string
}

interface StoredEvent {
  readonly id: string
  readonly subject?: string
  readonly change?: 'inserted' | 'retracted'
}

function commandsOf(text: string): readonly ShellCommand[] {
  const lines = text.split('\n').filter((line) => line.startsWith('    '))
  const blocks = lines
    .map((line) => line.slice(4))
    .join('\n')
    .split(/^\$ /m)
    .slice(1)
  return blocks.map((block) => {
    const [command = '', ...output] = block.trimEnd().split('\n')
    return { command, output: output.join('\n') }
  })
}

/** A fact for every line; in capitals if the prompt wants that. */
function answer(request: Parameters<typeof fakeModelAnswer>[0]) {
  if (request.schemaName !== 'extract-facts') return fakeModelAnswer(request)
  const isLoud = request.prompt.includes('in capitals')
  const rows = linesOf(String(request.input)).map(({ label, speaker, text }) => {
    const [subject = '', rest = ''] = [`${speaker}:`, text].map((words) => (isLoud ? words.toUpperCase() : words))
    return factRow({ label, kind: 'state', subject, rest })
  })
  return { rows }
}

function shell(t: TestContext, cwd: string, environment: { readonly [name: string]: string }) {
  const child = spawn('bash', ['--norc'], { cwd, env: { ...process.env, ...environment }, detached: true })
  // Kills the process group: the server and the subscriber run in it.
  t.after(() => process.kill(-(child.pid ?? 0), 'SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data))
  let count = 0
  return async (command: string): Promise<string> => {
    const mark = `--done ${++count}--`
    const from = text.length
    child.stdin.write(`${command}\necho '${mark}'\n`)
    await eventually(
      () => assert.ok(text.includes(mark, from), `${command} does not end: ${text.slice(from)}`),
      150_000,
    )
    return text.slice(from, text.indexOf(mark, from)).trimEnd()
  }
}

test('the transcript in the docs runs as written, and the subscriber has the memories of the views', async (t) => {
  const endpoint = await startFakeEndpoint({ answer, dimensions: 16 })
  t.after(() => endpoint.close())
  const made = await fixture(t, 1)
  const [port] = (await freePorts(1)).map(String)
  assert.ok(port)
  const settings = {
    LOOMLOG_DIR: join(made.dir, 'log'),
    LOOMLOG_PAUSE_MS: '1000',
    LOOMLOG_SPACE_PAUSE_MS: '1000',
    LOOMLOG_SESSION_MS: '5000',
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
  }
  const environment = { ...made.environment, ...settings, NO_COLOR: '1', LC_ALL: 'C' }
  for (const folder of ['examples/subscriber', 'services/fact-extractor/prompts']) {
    await mkdir(join(made.dir, folder), { recursive: true })
    await cp(join(root, folder), join(made.dir, folder), { recursive: true })
  }
  const run = shell(t, made.dir, { ...environment, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` })
  for (const { command, output } of commandsOf(document)) {
    const here = command.replaceAll('7070', port).replaceAll('npx node', process.execPath).replaceAll('npx ', '')
    const expected = output
      .replaceAll('7070', port)
      .split('…')
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[^]*')
    const isRepeated = /^(cat|sort|tail|FACT)/.test(command)
    const once = async () => assert.match(await run(here), new RegExp(`^${expected}$`), command)
    await (isRepeated ? eventually(once) : once())
  }
  const stored = readFileSync(join(made.dir, 'feed.jsonl'), 'utf8').trim().split('\n')
  const events = stored.flatMap((line) => (JSON.parse(line) as { readonly events: readonly StoredEvent[] }).events)
  const memories = new Set<string>()
  for (const { change, subject = '' } of events) {
    if (change === 'inserted') memories.add(subject)
    if (change === 'retracted') memories.delete(subject)
  }
  const host = await openHost(configFrom(environment))
  t.after(() => host.close())
  await eventually(async () => {
    const views = [...(await viewMemories(host, 'acme/team')).keys()].map((key) => key.split('/')[1])
    assert.deepEqual([...memories].sort(), views.sort())
  })
})
