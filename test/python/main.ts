/**
 * `npm run test:python` lints, type-checks and tests the client for Python in `python/.venv`, builds its packages, and
 * runs its README with them in an environment of its own. `--json FILE` writes seconds and kilobytes. Exits with 77,
 * the code of skipped tests, where there is no Python that the client supports.
 */
import { existsSync, globSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Output, run } from '../packages/tarballs.ts'
import { type Figures, timed } from '../trial-time.ts'

const leastMinor = 10
const skippedCode = 77
const testsTimeoutMs = 550_000
const project = fileURLToPath(new URL('../../python', import.meta.url))
const { values } = parseArgs({ options: { json: { type: 'string' } } })
const figures: Figures = {}

/** The program of an environment. */
function programOf(environment: string, name: string): string {
  return process.platform === 'win32' ? join(environment, 'Scripts', `${name}.exe`) : join(environment, 'bin', name)
}

/** Null: there is none that the client supports. */
async function findPython(): Promise<string | null> {
  for (const name of ['python3', 'python']) {
    const code = `import sys; sys.exit(sys.version_info < (3, ${leastMinor}))`
    const isFit = await run(name, ['-c', code]).then(
      () => true,
      () => false,
    )
    if (isFit) return name
  }
  return null
}

async function install(environment: string, requirement: readonly string[]): Promise<void> {
  await run(programOf(environment, 'python'), ['-m', 'pip', 'install', '--quiet', ...requirement], { cwd: project })
}

async function pytest(tests: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Output> {
  const pytest = programOf(join(project, '.venv'), 'pytest')
  return await run(pytest, ['--quiet', ...tests], { cwd: project, env, timeout: testsTimeoutMs })
}

/** The wheel, after the checks of the registry for both packages. */
async function build(folder: string): Promise<string> {
  const python = programOf(join(project, '.venv'), 'python')
  await run(python, ['-m', 'build', '--outdir', folder], { cwd: project })
  const packages = globSync('loomlog-*', { cwd: folder }).map((name) => join(folder, name))
  await run(python, ['-m', 'twine', 'check', '--strict', ...packages])
  for (const path of packages) {
    const kilobytes = Math.round(statSync(path).size / 100) / 10
    figures[`${path.endsWith('.whl') ? 'wheel' : 'sdist'} kB`] = kilobytes
    console.log(`${basename(path)}: ${kilobytes} kB`)
  }
  const wheel = packages.find((path) => path.endsWith('.whl'))
  if (wheel === undefined) throw new Error(`the build made no wheel in ${folder}`)
  return wheel
}

/** First without extras, so that the client needs nothing else. */
async function tryWheel(python: string, wheel: string, environment: string): Promise<void> {
  await run(python, ['-m', 'venv', environment])
  const env = { LOOMLOG_TEST_PYTHON: programOf(environment, 'python') }
  await install(environment, [wheel])
  await pytest(['tests/test_documents.py', '-k', 'first_program'], env)
  await install(environment, [`${wheel}[langgraph]`, 'langgraph'])
  await pytest(['tests/test_documents.py', '-k', 'README'], env)
}

async function tryAll(python: string, folder: string): Promise<void> {
  const environment = join(project, '.venv')
  await timed(figures, 'installation', async () => {
    if (!existsSync(environment)) await run(python, ['-m', 'venv', environment])
    await install(environment, ['--editable', '.[langgraph,test]'])
  })
  await timed(figures, 'ruff and mypy', async () => {
    await run(programOf(environment, 'ruff'), ['check'], { cwd: project })
    await run(programOf(environment, 'ruff'), ['format', '--check'], { cwd: project })
    await run(programOf(environment, 'mypy'), [], { cwd: project })
  })
  const { stdout } = await timed(figures, 'tests', () => pytest([]))
  console.log(stdout.trim().split('\n').at(-1))
  const wheel = await timed(figures, 'build', () => build(folder))
  await timed(figures, 'README with the wheel', () => tryWheel(python, wheel, join(folder, 'environment')))
}

const python = await findPython()
if (python === null) {
  console.log(`skipped: there is no Python 3.${leastMinor} or newer, as python3 or python`)
  process.exitCode = skippedCode
} else {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-python-'))
  try {
    await tryAll(python, folder)
    if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
  } finally {
    await rm(folder, { recursive: true })
  }
}
