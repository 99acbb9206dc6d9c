/**
 * `loomlog generation retire ID` marks a generation for removal; `loomlog generation gc` removes the streams, state and views that only retired
 * generations use. With `--dry-run` both only list them.
 */

import { changeStatus } from '@loomlog/app/generations/lifecycle'
import { type RemovedParts, removable, remove } from '@loomlog/app/generations/removal'
import { LoomlogError } from '@loomlog/errors'
import { refusal } from '@loomlog/generations/fold'
import { garbageOf } from '@loomlog/generations/garbage'
import { generationBy } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { type Output, print, printJson } from '../../print.ts'

export interface RetireOptions extends Output {
  readonly generation: string
  readonly do: 'retire' | 'list'
}

/** @throws LoomlogError `generation-refused` for one that is live, or retired already; a dry run too */
export async function retire(options: RetireOptions, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const generation = generationBy(known, options.generation)
  const { id, status } = generation
  const change = { previous: status, status: 'retired', share: null } as const
  const refused = refusal(known, { type: 'GenerationStatusChanged', generation: id, ...change, at: Date.now() })
  if (refused !== null) throw new LoomlogError('generation-refused', refused)
  const would = await wouldGo(host, known, { ...generation, status: 'retired' })
  if (options.do === 'retire') await changeStatus(host, id, change)
  if (options.json) return printJson({ ...would, status: options.do === 'retire' ? 'retired' : status })
  print(
    options.do === 'retire'
      ? `${id} is retired; loomlog generation gc will remove:`
      : `${id} would be retired, and gc would remove:`,
  )
  printRemoved(would)
}

export async function collect(options: Output & { readonly do: 'remove' | 'list' }, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const retired = [...known.generations.values()].filter(({ status }) => status === 'retired' || status === 'removing')
  const removed: RemovedParts[] = []
  for (const generation of retired) {
    removed.push(options.do === 'remove' ? await remove(host, generation) : await wouldGo(host, known, generation))
  }
  if (options.json) return printJson({ removed, dryRun: options.do !== 'remove' })
  if (removed.length === 0) return print('no generation is retired: there is nothing to remove')
  for (const each of removed) {
    print(options.do === 'remove' ? `${each.generation} is removed:` : `gc would remove of ${each.generation}:`)
    printRemoved(each)
  }
}

async function wouldGo(host: Host, known: Generations, generation: Generation): Promise<RemovedParts> {
  const garbage = garbageOf(known, generation, host.topics)
  return removable(host, generation, garbage ?? { stages: [], views: [] })
}

function printRemoved({ topics, views }: RemovedParts): void {
  for (const topic of topics) print(`  the topic ${topic}, with its state`)
  for (const view of views) print(`  the view of ${view}`)
  if (topics.length + views.length === 0) print('  nothing: other generations use all of it')
}
