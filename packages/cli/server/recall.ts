/** `loomlog recall --url`: the evidence for a question, from a server. */
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { CitedAnswer } from '@loomlog/recall/answer-from-evidence'
import { recallParameters } from '@loomlog/recall/parameters'
import type { RecallResult } from '@loomlog/recall/recall-result'
import { spaceKey } from '@loomlog/schemas/ids'
import { printRebuilds, printRecall, type RecallCommand } from '../commands/recall.ts'
import { printUnknownNames } from '../unknown-names.ts'

interface RecallReply extends Omit<RecallResult, 'items'> {
  readonly space: string
  readonly query: string
  readonly memories: RecallResult['items']
  readonly answer?: CitedAnswer
  readonly notices?: readonly string[]
  readonly generation: string | null
  readonly epoch: number
}

export async function recallFromServer(server: LoomlogClient, command: RecallCommand): Promise<void> {
  const { query, place, also, textParameters, generation, search, answer } = command
  const known: readonly string[] = recallParameters
  const parameters = Object.fromEntries(Object.entries(textParameters).filter(([name]) => known.includes(name)))
  const reply = await server.post<RecallReply>(path`/v1/spaces/${place.space}/recall`, {
    ...parameters,
    query,
    ...(also.length > 0 && { also }),
    ...(generation !== null && { generation }),
    ...(answer === 'wanted' && { answer: 'yes' }),
    ...(search === 'explained' && { explain: 'yes' }),
    ...(search === 'tools' && { agentic: 'yes' }),
  })
  const { space: _, query: __, memories: items, answer: citedAnswer = null, generation: read, epoch, ...result } = reply
  const spaces = [place.space, ...also].map((name) => spaceKey(place.tenant, name))
  printRebuilds(result)
  printUnknownNames(result.notices)
  printRecall({ items, ...result }, command, { generation: read, epoch, spaces, citedAnswer })
}
