/**
 * `loomlog generation retire ID` marks a generation for removal; `loomlog generation gc` removes the topics, state and views that only retired
 * generations use. With `--dry-run` both only list them.
 */

import { collectGarbage, type RemovedParts, retire as retireGeneration } from '@loomlog/app/generations/removal'
import type { Host } from '@loomlog/host/open'
import { type Output, print, printJson } from '../../print.ts'

export interface RetireOptions extends Output {
  readonly generation: string
  readonly do: 'retire' | 'list'
}

export async function retire(options: RetireOptions, host: Host): Promise<void> {
  const retired = await retireGeneration(host, options.generation, options.do)
  if (options.json) return printJson(retired)
  const { generation: id } = retired
  print(
    options.do === 'retire'
      ? `${id} is retired; loomlog generation gc will remove:`
      : `${id} would be retired, and gc would remove:`,
  )
  printRemoved(retired)
}

export async function collect(options: Output & { readonly do: 'remove' | 'list' }, host: Host): Promise<void> {
  const removed = await collectGarbage(host, options.do)
  if (options.json) return printJson({ removed, dryRun: options.do !== 'remove' })
  if (removed.length === 0) return print('no generation is retired: there is nothing to remove')
  for (const each of removed) {
    print(options.do === 'remove' ? `${each.generation} is removed:` : `gc would remove of ${each.generation}:`)
    printRemoved(each)
  }
}

function printRemoved({ topics, views }: RemovedParts): void {
  for (const topic of topics) print(`  the topic ${topic}, with its state`)
  for (const view of views) print(`  the view of ${view}`)
  if (topics.length + views.length === 0) print('  nothing: other generations use all of it')
}
