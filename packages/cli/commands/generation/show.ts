/** `loomlog generation list|show`: all generations with their status; the progress, speed and history of one. */
import type { GenerationDetails, GenerationSummary } from '@loomlog/app/generations/generation-progress'
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import { formatScope } from '@loomlog/generations/derivation-scope'
import { cell, count, dateTimeText, faint, heading, type Output, print, printJson, table } from '../../print.ts'

export async function list(output: Output, operations: GenerationOperations): Promise<void> {
  const found = await operations.list()
  if (output.json) return printJson(found)
  const { generations } = found
  if (generations.length === 0) return print('there is no generation yet: loomlog init, ingest or up creates the first')
  const rows = generations.map((each) => {
    const live = each.liveFor.length === 0 ? '' : `live for ${each.liveFor.join(', ')}`
    const scope = each.scope === 'all' ? '' : formatScope(each.scope)
    const settings = Object.keys(each.chosen).join(', ')
    return [each.id, each.status, live, each.name ?? '', dateTimeText(each.definedAt), settings, scope]
  })
  print(table([['generation', 'status', '', 'name', 'defined', 'settings', 'scope'], ...rows]))
}

export async function show(
  command: Output & { readonly generation: string },
  operations: GenerationOperations,
): Promise<void> {
  const details = await operations.details(command.generation)
  if (command.json) return printJson(details)
  printSummary(details)
  printProgress(details)
  for (const { event, refused } of details.history) {
    const text =
      event.type === 'GenerationPromoted' ? `${event.cause} for ${cell(event.tenant ?? 'everyone')}` : event.status
    print(`${faint(dateTimeText(event.at))}  ${text}${refused === null ? '' : faint(` (refused: ${cell(refused)})`)}`)
  }
}

function printSummary({ id, name, status, scope, liveFor, viewEmbedder, chosen, share }: GenerationSummary): void {
  print(`generation ${id}${name === null ? '' : ` (${cell(name)})`}: ${status}, over ${cell(formatScope(scope))}`)
  print(liveFor.length === 0 ? 'live for no tenant' : `live for ${cell(liveFor.join(', '))}`)
  print(`views embedded by ${viewEmbedder}${share === null ? '' : `; ${share * 100} % of the time beside live work`}`)
  for (const [key, value] of Object.entries(chosen)) print(`  ${cell(key)} = ${cell(String(value))}`)
}

function printProgress({ progress, rate, leftMs }: GenerationDetails): void {
  if (progress.length === 0) return
  const rows = progress.map((part) => [
    part.name,
    count(part.position),
    count(part.end),
    part.behindMs === 0 ? '' : `${(part.behindMs / 1_000).toFixed(1)} s behind`,
    part.frozen === null ? '' : `frozen: ${part.frozen}`,
  ])
  const [titles = '', ...lines] = table([['', 'done', 'of', '', ''], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  if (rate === null) return
  const still = 'no progress: loomlog up, the services, or loomlog generation start --wait derive it'
  const left = leftMs === null ? still : `about ${count(Math.ceil(leftMs / 1_000))} s left`
  print(`${count(Math.round(rate))} records/s, ${left}`)
}
