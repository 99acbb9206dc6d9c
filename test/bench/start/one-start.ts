/**
 * One start of the built library, in a process of its own: `one-start.ts MODULE DIR`. Prints as JSON the time of each
 * step, in ms, from the import on.
 */
import { pathToFileURL } from 'node:url'

const [module = '', dir = ''] = process.argv.slice(2)
const times: { [step: string]: number } = { process: performance.now() }

async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  times[step] = performance.now() - startedAt
  return result
}

const { openMemory }: typeof import('loomlog') = await timed('import', () => import(pathToFileURL(module).href))
const memory = await timed('open', () => openMemory({ dir }))
const team = memory.space('team')
const message = { speaker: 'Maya', text: 'I moved to Porto last week.' }
await timed('first add', () => team.add(message, { conversation: 'standup' }))
times['import to first add'] = (times.import ?? 0) + (times.open ?? 0) + (times['first add'] ?? 0)
await timed('second add', () => team.add(message, { conversation: 'standup' }))
await timed('first recall', () => team.recall('Where does Maya live?'))
await timed('second recall', () => team.recall('Where does Maya live?'))
await timed('close', () => memory.close())
console.log(JSON.stringify(times))
