/**
 * Preservation by the consolidator: `npm run eval -- consolidation [--json FILE]`. A value that changes ten times over 30 sessions among 200
 * other facts, a home that two speakers contradict each other about, and an agent's guess. With a fake model that plans well, and with five that
 * plan badly, which the stage must withstand. Mutants of the good memory must be found. Exits with 1 otherwise.
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
