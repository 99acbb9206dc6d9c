/**
 * `npm test`: runs every test file, or those whose paths begin with an argument. The unit tests of a workspace share one process, because a
 * process spends up to a second on loading modules and language models. Tests that start processes or brokers have a process for each file.
 * The two kinds alternate, so that the first keep the processor busy while the second wait.
 */
import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { startShared } from './whole-run.ts'

/** For a test that names no limit of its own. */
const timeoutMs = 180_000
/** Processes at a time: more than processors, since many tests wait for a session to end or a broker to answer. */
const concurrency = availableParallelism() + 2

/** Beginnings of paths whose files have a process each, the longest first. Those of models have hooks and connections for the file. */
const alone = [
  'test/kafka/',
  'test/pipeline/',
  'test/services/',
  'test/faults/',
  'test/cli/',
  'test/simulator/',
  'packages/log/',
  'services/materializer/',
  'examples/',
  'test/truth/',
  'packages/models/',
]
/** Run by `npm run lint`. */
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
const folder = await mkdtemp(join(tmpdir(), 'loomlog-tests-'))
const shared = await sharedPrograms(
  paths.filter((path) => startOf(path) === -1),
  folder,
)
const single = paths.filter((path) => startOf(path) >= 0).toSorted((a, b) => startOf(a) - startOf(b))
const files = Array.from({ length: Math.max(shared.length, single.length) }, (_, at) => [shared[at], single[at]])
  .flat()
  .filter((file) => file !== undefined)

const parts = await startShared()
const tests = run({ files, concurrency, execArgv: [`--test-timeout=${timeoutMs}`] })
tests.on('test:fail', () => {
  process.exitCode = 1
})
tests.once('close', async () => {
  await parts.stop()
  await rm(folder, { recursive: true })
})
tests.compose(new spec()).pipe(process.stdout)
