/**
 * `npm test`: runs every test file, or those whose paths begin with an argument. The unit tests of a workspace share
 * one process, because a process spends up to a second on loading modules and language models. Test files that start
 * processes or brokers have a process each. Both kinds alternate, so that unit tests keep the processor busy while the
 * others wait.
 */
import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { startRunResources } from './run-resources.ts'

/** Ends a file after its last test: what a failed test left open must not stop the run. */
const endAfterTests = `--import=${new URL('end-after-tests.ts', import.meta.url)}`
/** Timeout of a test without one of its own. */
const timeoutMs = 180_000
/**
 * The number of parallel processes. It exceeds the processors, since many tests wait for a session to end or a broker
 * to answer.
 */
const concurrency = availableParallelism() + 2

/**
 * Path prefixes of files with a process each, the slowest first. Tests of models have hooks and connections for the
 * whole file.
 */
const alone = [
  'test/packages/',
  'test/kafka/',
  'test/pipeline/',
  'test/services/',
  'test/faults/',
  'test/cli/',
  'test/inspector/',
  'test/simulator/',
  'packages/log/',
  'services/materializer/',
  'examples/',
  'test/truth/',
  'test/red-team/',
  'packages/models/',
]
/**
 * A change fails for what it breaks, not for cases that its predecessors never met. Outside of this run, tests and
 * campaigns draw new seeds.
 */
process.env.LOOMLOG_SEED ??= '20261123'

/** Tests that `npm run lint` runs. */
const ofLint = 'test/topology/'

const starts = process.argv.slice(2)
const startOf = (path: string) => alone.findIndex((start) => path.startsWith(start))

/** One program that imports the files of a workspace, for each workspace; the one with the most files first. */
async function sharedPrograms(paths: readonly string[], folder: string): Promise<readonly string[]> {
  const workspaces = Map.groupBy(paths, (path) => dirname(path).split('/').slice(0, 2).join('-'))
  const bySize = [...workspaces].toSorted(([, a], [, b]) => b.length - a.length)
  return await Promise.all(
    bySize.map(async ([name, files]) => {
      const program = join(folder, `${name}.mjs`)
      await writeFile(program, files.map((file) => `import '${pathToFileURL(resolve(file))}'\n`).join(''))
      return program
    }),
  )
}

const paths = globSync('{schemas,topics,packages,services,deploy,examples,test}/**/*.test.ts', {
  exclude: (name) => name === 'node_modules',
})
  .filter((path) => (starts.length === 0 ? !path.startsWith(ofLint) : starts.some((start) => path.startsWith(start))))
  .toSorted()
const unknown = starts.filter((start) => !paths.some((path) => path.startsWith(start)))
if (unknown.length > 0)
  throw new Error(`no test file begins with ${unknown.join(', ')}: expected paths such as test/cli`)
const folder = await mkdtemp(join(tmpdir(), 'loomlog-tests-'))
const shared = await sharedPrograms(
  paths.filter((path) => startOf(path) === -1),
  folder,
)
const single = paths.filter((path) => startOf(path) >= 0).toSorted((a, b) => startOf(a) - startOf(b))
const files = Array.from({ length: Math.max(shared.length, single.length) }, (_, at) => [shared[at], single[at]])
  .flat()
  .filter((file) => file !== undefined)

const parts = await startRunResources()
const tests = run({ files, concurrency, execArgv: [`--test-timeout=${timeoutMs}`, endAfterTests] })
tests.on('test:fail', () => {
  process.exitCode = 1
})
tests.once('close', async () => {
  await parts.stop()
  await rm(folder, { recursive: true })
})
tests.compose(new spec()).pipe(process.stdout)
