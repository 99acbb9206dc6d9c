/**
 * Simulates histories: `npm run simulate [-- --seed N --histories N --json FILE]`. The seeds of the histories are
 * consecutive. It stops at the first wrong history, prints its seed, and exits with 1.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    histories: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
})
const result = await simulate({ seed: Number(values.seed), histories: Number(values.histories) })
console.log(JSON.stringify(result, null, 2))
if (values.json) await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`)
process.exitCode = result.violations.length === 0 ? 0 : 1
