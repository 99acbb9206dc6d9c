/** Tarballs of the published packages, and applications that install them outside of the repository. */
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const start = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const programs = fileURLToPath(new URL('./programs/', import.meta.url))
const published = ['loomlog', 'client', 'adapters']
/** Of the frameworks, those that the programs need. */
const frameworks = ['ai@7', '@langchain/langgraph-checkpoint@1', '@langchain/core@1']
const isWindows = process.platform === 'win32'
export const npm = isWindows ? 'npm.cmd' : 'npm'
export const npx = isWindows ? 'npx.cmd' : 'npx'
/** An installation fetches some 100 MB where nothing is cached. */
const timeoutMs = 400_000

export interface Output {
  readonly stdout: string
  readonly stderr: string
}

/** @throws Error with the output, where the command fails */
export async function run(command: string, given: readonly string[], options: object = {}): Promise<Output> {
  // Settings and the version of this run's npm must not reach the one that is started.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|LOOMLOG_|NODE_OPTIONS|NODE_TEST)/.test(name),
  )
  const { env, ...rest } = options as { readonly env?: NodeJS.ProcessEnv }
  const shell = isWindows && /\.cmd$/.test(command)
  const isKept = (name: string) => env?.['PATH'] === undefined || name.toUpperCase() !== 'PATH'
  const kept = inherited.filter(([name]) => isKept(name))
  const settings = { timeout: timeoutMs, shell, ...rest, env: { ...Object.fromEntries(kept), ...env } }
  try {
    return await start(command, given, settings)
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as Partial<Output>
    throw new Error(`${command} ${given.join(' ')} failed: ${stdout.slice(-2_000)} ${stderr.slice(-2_000)}`, { cause })
  }
}

/** Builds and packs; the paths of the tarballs. */
export async function pack(folder: string, names: readonly string[] = published): Promise<readonly string[]> {
  await run(process.execPath, ['packages/loomlog/build/main.ts', ...names], { cwd: root })
  for (const name of names) {
    await run(npm, ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, 'dist', name) })
  }
  return globSync('*.tgz', { cwd: folder }).map((name) => join(folder, name))
}

/**
 * An application with the packages, frameworks and the programs.
 * @param node runs npm, and so the install scripts
 * @throws Error that says so where the registry can't be reached
 */
export async function install(folder: string, tarballs: readonly string[], node: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  cpSync(programs, folder, { recursive: true })
  const path = `${dirname(node)}${isWindows ? ';' : ':'}${process.env['PATH']}`
  const options = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  try {
    await run(npm, [...options, ...tarballs, ...frameworks], { cwd: folder, env: { PATH: path } })
  } catch (error) {
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENOTCACHED/.test(String(error))) throw error
    throw new Error('the npm registry is unreachable: the packages need it to be installed', { cause: error })
  }
}

/**
 * An application without an installation: the unpacked package beside the clone's copies of the packages that its
 * manifest declares, and of no other. It takes no network.
 */
export async function unpack(folder: string, tarball: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  const home = join(modules, 'loomlog')
  mkdirSync(home, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'])
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    // A workspace has a copy of its own where versions differ.
    const [copy = `node_modules/${name}`] = globSync(`packages/*/node_modules/${name}`, { cwd: root })
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, copy), join(modules, name), 'junction')
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  cpSync(programs, folder, { recursive: true })
}

/** Megabytes of a folder of an application. */
export function megabytes(folder: string): number {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((each) => each.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  return Math.round(bytes / 100_000) / 10
}
