/**
 * `loomlog generation retire ID` marks a generation for removal; `loomlog generation gc` removes the topics, state and
 * views that only retired generations use. With `--dry-run` both only list them.
 */
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import type { RemovedParts } from '@loomlog/app/generations/removal'
import { type Output, print, printJson } from '../../print.ts'

export interface RetireOptions extends Output {
  readonly generation: string
  readonly do: 'retire' | 'list'
}

export async function retire(options: RetireOptions, operations: GenerationOperations): Promise<void> {
  const retired = await operations.retire(options.generation, options.do)
  if (options.json) return printJson(retired)
  const { generation: id } = retired
  print(
    options.do === 'retire'
      ? `${id} is retired; loomlog generation gc will remove:`
      : `${id} would be retired, and gc would remove:`,
  )
  printRemoved(retired)
}

export async function collect(
  options: Output & { readonly do: 'remove' | 'list' },
  operations: GenerationOperations,
): Promise<void> {
  const collection = await operations.collect(options.do)
  if (options.json) return printJson(collection)
  const { removed } = collection
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
