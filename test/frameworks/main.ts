/**
 * `npm run test:frameworks` tests the adapters of frameworks that are too large for the workspaces: installs the
 * frameworks from the lockfile of this folder, checks the adapters against their types, and runs the tests, with the
 * longer ones of the other adapters.
 * `--json FILE` writes the versions, megabytes, tests and seconds.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { megabytes, npm, run } from '../packages/tarballs.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
const { values } = parseArgs({ options: { json: { type: 'string' } } })
const { devDependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
const seconds: { [step: string]: number } = {}

async function step(name: string, command: string, given: readonly string[]): Promise<string> {
  console.log(`${name} ...`)
  const start = performance.now()
  const { stdout } = await run(command, given, { cwd: folder })
  seconds[name] = Math.round((performance.now() - start) / 100) / 10
  console.log(`${name}: ${seconds[name]} s`)
  return stdout
}

console.log(`npm ci in test/frameworks, some 600 MB: ${Object.keys(devDependencies).join(', ')}`)
await step('installation', npm, ['ci', '--silent'])
await step('types', process.execPath, [compiler, '-p', 'tsconfig.json'])
const output = await step('tests', process.execPath, [
  '--test',
  '--test-timeout=60000',
  '*.framework-test.ts',
  '../adapters/*.framework-test.ts',
])
console.log(output)
const passed = Number(/^ℹ pass (\d+)$/m.exec(output)?.[1])
const figures = { versions: devDependencies, megabytes: megabytes(`${folder}node_modules`), passed, seconds }
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
