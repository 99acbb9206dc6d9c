/** `loomlog recall QUERY`: evidence for a question, each piece with its sources. */

import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import type { Place } from '@loomlog/intake/utterance'
import type { Evidence } from '@loomlog/recall/answer'
import { type Kind, kinds } from '@loomlog/recall/memory'
import { recall as recallFrom } from '@loomlog/recall/recall'
import { spaceKey } from '@loomlog/schemas/ids'
import { liveGeneration, viewReader } from '../generation.ts'
import { faint, moment, type Output, print, printable, printJson } from '../print.ts'

export interface RecallCommand extends Output {
  readonly query: string
  readonly place: Place
  readonly limit: number
  readonly kinds: readonly string[]
}

export async function recall(command: RecallCommand, host: Host): Promise<void> {
  const wanted = command.kinds.map(kindFrom)
  const serving = await liveGeneration(host)
  const views = viewReader(host, serving)
  const space = spaceKey(command.place.tenant, command.place.space)
  const options = { log: host.log, codec: host.codec, views, embedder: host.embedder }
  const { query, limit } = command
  const request = { space, query, limit, ...(wanted.length > 0 && { kinds: wanted }) }
  const { items } = await recallFrom(request, options).finally(() => views.close())
  if (command.json) return printJson({ generation: serving.id, space, query, memories: items })
  if (items.length === 0) print(`nothing found in ${space}`)
  for (const memory of items) printMemory(memory)
}

export function printMemory(memory: Evidence): void {
  const when = memory.at === null ? '' : ` ${moment(memory.at)}`
  print(`${memory.score.toFixed(2)} ${memory.kind}${faint(`${when}  ${memory.id}`)}`)
  for (const line of printable(memory.text).split('\n')) print(`     ${line}`)
  if (memory.kind !== 'utterance') print(faint(`     from ${memory.sources.join(', ')}`))
}

function kindFrom(text: string): Kind {
  const kind = kinds.find((known) => known === text)
  if (!kind) throw new LoomlogError('input-invalid', `--kind is ${text}: expected ${kinds.join(', ')}`)
  return kind
}
