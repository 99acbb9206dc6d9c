/**
 * `npm run test:packages` tries the published packages from their tarballs, on every version of Node that they support,
 * and prints megabytes and seconds. `--json FILE` writes them. `--node PATH` tries that binary alone.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figures, timed } from '../trial-time.ts'
import { checkManifests, checkTypes } from './checks.ts'
import { install, megabytes, npm, pack, run } from './tarballs.ts'
import { tryAdapters, tryClient, tryCommands, tryLibrary } from './trial.ts'

/** The least version, and the newest of each. */
const versions = ['22.19.0', '22', '24', '26']
const { values } = parseArgs({ options: { json: { type: 'string' }, node: { type: 'string' } } })
const folder = await mkdtemp(join(tmpdir(), 'loomlog-packages-'))
const figures: Figures = {}

/** The binary of a version, from the registry. */
async function nodeOf(version: string): Promise<string> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const home = join(folder, `node-${version}`)
  await run(npm, ['install', '--silent', '--prefix', home, `${name}@${version}`])
  return join(home, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

async function versionOf(node: string): Promise<string> {
  const { stdout } = await run(node, ['--version'])
  return stdout.trim().slice(1)
}

async function tryOn(version: string, node: string, tarballs: readonly string[]): Promise<string> {
  const app = join(folder, `app-${version}`)
  await timed(figures, `node ${version}, installation`, () => install(app, tarballs, node))
  await timed(figures, `node ${version}, library`, () => tryLibrary(app, node))
  await timed(figures, `node ${version}, demo`, () => tryCommands(app, node))
  await timed(figures, `node ${version}, adapter`, () => tryAdapters(app, node))
  await timed(figures, `node ${version}, server and client`, () => tryClient(app, node))
  return app
}

function measure(app: string): void {
  const packages = [
    '',
    'loomlog',
    '@loomlog/client',
    '@loomlog/adapters',
    '@lancedb',
    'openai',
    'gpt-tokenizer',
    '@opentelemetry',
    'kafkajs',
  ]
  for (const name of packages) {
    const shown = name === '' ? 'node_modules' : name
    figures[`${shown} MB`] = megabytes(join(app, 'node_modules', name))
    console.log(`${shown}: ${figures[`${shown} MB`]} MB`)
  }
}

try {
  const tarballs = await timed(figures, 'build and pack', () => pack(folder))
  await timed(figures, 'publint and attw', () => checkManifests(tarballs))
  const wanted = values.node === undefined ? versions : [await versionOf(values.node)]
  const apps: string[] = []
  for (const version of wanted) apps.push(await tryOn(version, values.node ?? (await nodeOf(version)), tarballs))
  const [app = ''] = apps
  await timed(figures, 'types', () => checkTypes(app))
  measure(app)
  if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
} finally {
  await rm(folder, { recursive: true })
}
