/** `npm run bench -- NAME …`: the benchmarks. Those with a floor measure it in the same run. */
import { benchAppend } from './append/bench-append.ts'
import { benchIngest } from './ingest.ts'
import { benchLoad } from './load/bench-load.ts'
import { benchLog } from './log/bench-log.ts'
import { benchRecall } from './recall/bench-recall.ts'
import { benchSubscribers } from './subscribers/bench-subscribers.ts'

const benches: { readonly [name: string]: (args: readonly string[]) => Promise<void> } = {
  append: benchAppend,
  ingest: benchIngest,
  load: benchLoad,
  log: benchLog,
  recall: benchRecall,
  subscribers: benchSubscribers,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench) await bench(args)
else {
  console.error(`there is no benchmark ${name}: expected one of ${Object.keys(benches).join(', ')}`)
  process.exitCode = 2
}
