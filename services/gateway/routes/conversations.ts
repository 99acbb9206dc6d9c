/** The conversations of a space, from its utterances in the view, and the ends of a conversation and of a space. */
import { LoomlogError } from '@loomlog/errors'
import { pauseAfter, type SpaceAddress, spacePauseAfter } from '@loomlog/intake/utterance'
import { readTail, type TailOptions } from '@loomlog/recall/log-tail'
import type { ConversationPaused, SpacePaused } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { and, equals, isNull } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { utterances } from '@loomlog/views/tables/utterances'

/** Utterances of a space that are read for the list of its conversations. */
const maxUtterances = 200_000

export interface Conversation {
  readonly conversation: string
  readonly utterances: number
  readonly speakers: readonly string[]
  /** Of the first and the last utterance, in ms of event time. */
  readonly firstAt: number
  readonly lastAt: number
}

/** In the order of their names. */
export async function conversationsOf(space: string, views: ViewReader): Promise<readonly Conversation[]> {
  const rows = await views.scan(utterances, { space, where: isNull('correction'), limit: maxUtterances })
  const all = [...Map.groupBy(rows, (row) => row.conversation)].map(([conversation, of]) => {
    const times = of.map(({ at }) => at ?? 0)
    const range = times.reduce(
      ({ firstAt, lastAt }, at) => ({ firstAt: Math.min(firstAt, at), lastAt: Math.max(lastAt, at) }),
      { firstAt: Number.POSITIVE_INFINITY, lastAt: 0 },
    )
    return { conversation, utterances: of.length, speakers: [...new Set(of.map(({ speaker }) => speaker))], ...range }
  })
  return all.sort((a, b) => (a.conversation < b.conversation ? -1 : 1))
}

/** The event that ends a conversation after its last utterance. @throws LoomlogError `not-found` */
export async function endOf(
  conversation: string,
  { tenant, space }: SpaceAddress,
  options: TailOptions,
): Promise<ConversationPaused> {
  const key = spaceKey(tenant, space)
  const last =
    (await readTail(key, options)).findLast(({ event }) => event.conversation === conversation)?.event ??
    (await lastInView(conversation, key, options.views))
  if (last === undefined)
    throw new LoomlogError('not-found', `there is no utterance in the conversation ${JSON.stringify(conversation)}`)
  const { id, at } = last
  return pauseAfter({ id, at: at ?? 0, tenant, space, conversation, appendedAt: Date.now() })
}

/** The event that ends a space after its last utterance. @throws LoomlogError `not-found` */
export async function spaceEndOf({ tenant, space }: SpaceAddress, options: TailOptions): Promise<SpacePaused> {
  const key = spaceKey(tenant, space)
  const last = (await readTail(key, options)).at(-1)?.event ?? (await lastInView(null, key, options.views))
  if (last === undefined)
    throw new LoomlogError('not-found', `there is no utterance in the space ${JSON.stringify(space)}`)
  const { id, at } = last
  return spacePauseAfter({ id, at: at ?? 0, tenant, space, appendedAt: Date.now() })
}

/** @param conversation null: of any conversation */
async function lastInView(conversation: string | null, space: string, views: ViewReader) {
  const spoken = isNull('correction')
  const where = conversation === null ? spoken : and(spoken, equals('conversation', conversation))
  const orderBy = [
    { by: 'knownFrom', direction: 'descending' },
    { by: 'offset', direction: 'descending' },
  ] as const
  const [row] = await views.scan(utterances, { space, where, orderBy, limit: 1 })
  return row
}
