/**
 * Preservation by the consolidator: `npm run eval -- consolidation [--json FILE]`. The facts of 30 sessions include ten
 * values of one thing in turn, a home that two speakers contradict each other about, an agent's guess, and 200 other
 * facts. One fake model plans well; five plan badly. The exit code is 1 if the memory of any of them has a fault, or if
 * the checks miss a fault planted into the good memory.
 */
import { parseArgs } from 'node:util'
import { writeResult } from '../figures/result.ts'
import { measure } from './consolidation/measure.ts'

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const { memory, plans, found } = await measure()
console.log('a fake model that plans well:', memory.faults.length === 0 ? 'no fault' : memory.faults)
console.table(
  Object.fromEntries(
    Object.entries(plans).map(([name, { faults, ...each }]) => [name, { ...each, faults: faults.length }]),
  ),
)
for (const { faults } of Object.values(plans)) for (const fault of faults) console.log(fault)
for (const [name, faults] of Object.entries(found)) console.log(`mutant that ${name}: ${faults[0] ?? 'NOT FOUND'}`)
await writeResult(values.json, 'eval -- consolidation', { memory, plans, found })
const isGood = [memory, ...Object.values(plans)].every(({ faults }) => faults.length === 0)
process.exitCode = isGood && Object.values(found).every((faults) => faults.length > 0) ? 0 : 1
