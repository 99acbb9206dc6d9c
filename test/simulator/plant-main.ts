/** A process of its own that runs histories with one bug planted: its name, the first seed, and how many histories at most. */
import { plant, plantedBugs } from './planted-bugs.ts'

const [name, seed, histories] = process.argv.slice(2)
const bug = plantedBugs.find((each) => each.name === name)
if (bug === undefined) throw new Error(`${name} is no planted bug`)
plant(bug)
const { simulate } = await import('./simulate.ts')
console.log(JSON.stringify(await simulate({ seed: Number(seed), histories: Number(histories) })))
