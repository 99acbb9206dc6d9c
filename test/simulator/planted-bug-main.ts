/**
 * Runs histories with one planted bug, in a process of its own. Arguments: the bug's name, the first seed, and the
 * maximum number of histories.
 */
import { plantBug, plantedBugs } from './planted-bugs.ts'

const [name, seed, histories] = process.argv.slice(2)
const bug = plantedBugs.find((each) => each.name === name)
if (bug === undefined) throw new Error(`${name} is no planted bug`)
plantBug(bug)
const { simulate } = await import('./simulate.ts')
console.log(JSON.stringify(await simulate({ seed: Number(seed), histories: Number(histories) })))
