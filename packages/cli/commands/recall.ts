/** `loomlog recall QUERY`: evidence for a question, each piece with its sources. */
import type { Host } from '@loomlog/host/open'
import type { Place } from '@loomlog/intake/utterance'
import type { Evidence } from '@loomlog/recall/answer'
import { type Given, requestFrom } from '@loomlog/recall/given'
import { recall as recallFrom } from '@loomlog/recall/recall'
import { spaceKey } from '@loomlog/schemas/ids'
import { liveGeneration, viewReader } from '../generation.ts'
import { faint, moment, type Output, print, printable, printJson } from '../print.ts'

export interface RecallCommand extends Output {
  readonly query: string
  readonly place: Place
  /** Further spaces of the tenant. */
  readonly also: readonly string[]
  readonly given: Given
}

export async function recall(command: RecallCommand, host: Host): Promise<void> {
  const { tenant, space } = command.place
  const spaces = [space, ...command.also].map((name) => spaceKey(tenant, name))
  const request = requestFrom({ ...command.given, query: command.query }, spaces)
  const serving = await liveGeneration(host)
  const views = viewReader(host, serving)
  const options = { log: host.log, codec: host.codec, views, embedder: host.embedder }
  const { items, tokens, leftOut } = await recallFrom(request, options).finally(() => views.close())
  const answer = { generation: serving.id, space: spaces[0], query: command.query, memories: items, tokens, leftOut }
  if (command.json) return printJson(answer)
  if (items.length === 0) print(`nothing found in ${spaces.join(', ')}`)
  for (const memory of items) printMemory(memory)
}

export function printMemory(memory: Evidence): void {
  const when = memory.at === null ? '' : ` ${moment(memory.at)}`
  print(`${memory.score.toFixed(2)} ${memory.kind}${faint(`${when}  ${memory.id}`)}`)
  for (const line of printable(memory.text).split('\n')) print(`     ${line}`)
  if (memory.kind !== 'utterance') print(faint(`     from ${memory.sources.join(', ')}`))
}
