/**
 * `npm run eval -- NAME …`: the measurements of quality. The first lines of each file describe it and its arguments.
 */
import { LoomlogError } from '@loomlog/errors'

const names = [
  'answers',
  'beam',
  'consolidation',
  'context',
  'corpus',
  'embedders',
  'growth',
  'language',
  'locomo',
  'longmemeval',
  'memory',
  'red-team',
  'rederive',
  'shifts',
  'tokens',
  'traces',
]

const [name = '', ...args] = process.argv.slice(2)
if (names.includes(name)) {
  // Every evaluation parses the arguments of the process, as if it had been started directly.
  process.argv.splice(2, process.argv.length, ...args)
  await import(`./${name}.ts`).catch((error: unknown) => {
    // Wrong input ends with its message alone; any other error keeps its stack.
    if (!(error instanceof LoomlogError) || error.code !== 'input-invalid') throw error
    console.error(error.message)
    process.exitCode = 2
  })
} else {
  console.error(`there is no measurement ${name}: expected one of ${names.join(', ')}`)
  process.exitCode = 2
}
