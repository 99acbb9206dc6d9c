/** `npm run bench -- NAME …`: the benchmarks. Those with a floor measure it in the same run. */
import { benchAppend } from './append/bench-append.ts'
import { benchEncryption } from './encryption.ts'
import { benchImport } from './import.ts'
import { benchIngest } from './ingest.ts'
import { benchInspector } from './inspector.ts'
import { benchLoad } from './load/bench-load.ts'
import { benchLog } from './log/bench-log.ts'
import { benchRecall } from './recall/bench-recall.ts'
import { benchStart } from './start/bench-start.ts'
import { benchSubscribers } from './subscribers/bench-subscribers.ts'

const benches: { readonly [name: string]: (args: readonly string[]) => Promise<void> } = {
  append: benchAppend,
  encryption: benchEncryption,
  import: benchImport,
  ingest: benchIngest,
  inspector: benchInspector,
  load: benchLoad,
  log: benchLog,
  recall: benchRecall,
  start: benchStart,
  subscribers: benchSubscribers,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
try {
  if (bench) await bench(args)
  else refuseName()
} catch (error) {
  if (!isWrongOption(error)) throw error
  console.error(`${name}: ${error.message}`)
  process.exitCode = 2
}

function refuseName(): void {
  console.error(`there is no benchmark ${name}: expected one of ${Object.keys(benches).join(', ')}`)
  process.exitCode = 2
}

/** An option that the benchmark doesn't have, `--help` included: its file lists the options. */
function isWrongOption(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')
}
