/** The conversations of a space, from its utterances in the view, and the ends of a conversation and of a space. */
import { LoomlogError } from '@loomlog/errors'
import { conversationPauseAfter, type SpaceAddress, spacePauseAfter } from '@loomlog/intake/utterance'
import { readTail, type TailOptions } from '@loomlog/recall/log-tail'
import type { ConversationPaused, SpacePaused } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { sameName } from '@loomlog/schemas/names'
import { after, and, equals, isNull, oneOf, or } from '@loomlog/views/condition'
import type { Search } from '@loomlog/views/port'
import type { ViewReader } from '@loomlog/views/reader'
import { type UtteranceRow, utterances } from '@loomlog/views/tables/utterances'

/** Most utterances in memory while the conversations of a space are counted. */
const pageRows = 10_000
const byTime = [
  { by: 'at', direction: 'ascending' },
  { by: 'id', direction: 'ascending' },
] as const

export interface Conversation {
  readonly conversation: string
  readonly utterances: number
  readonly speakers: readonly string[]
  /** Of the first and the last utterance, in ms of event time. */
  readonly firstAt: number
  readonly lastAt: number
}

/** In the order of their names. @throws the signal's reason, before the next page of utterances */
export async function conversationsOf(
  space: string,
  views: Pick<Search, 'scan'>,
  signal: AbortSignal,
): Promise<readonly Conversation[]> {
  const all = new Map<string, Omit<Conversation, 'speakers'> & { readonly speakers: Set<string> }>()
  for await (const { conversation, speaker, at } of utterancesOf(space, views, signal)) {
    const time = at ?? 0
    const known = all.get(conversation)
    const speakers = known?.speakers ?? new Set()
    all.set(conversation, {
      conversation,
      utterances: (known?.utterances ?? 0) + 1,
      speakers: speakers.add(speaker),
      firstAt: Math.min(known?.firstAt ?? time, time),
      lastAt: Math.max(known?.lastAt ?? time, time),
    })
  }
  return [...all.values()]
    .map((each) => ({ ...each, speakers: [...each.speakers] }))
    .sort((a, b) => (a.conversation < b.conversation ? -1 : 1))
}

/** In pages by time, which never changes. A view keeps utterances nearly in this order, so each page sorts fast. */
async function* utterancesOf(
  space: string,
  views: Pick<Search, 'scan'>,
  signal: AbortSignal,
): AsyncGenerator<UtteranceRow> {
  const spoken = isNull('correction')
  const page = { space, limit: pageRows, orderBy: byTime }
  let rows = await views.scan(utterances, { ...page, where: spoken })
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield* rows
    if (rows.length < pageRows) return
    signal.throwIfAborted()
    const at = last.at ?? 0
    const isLater = or(after('at', at), and(equals('at', at), after('id', last.id)))
    rows = await views.scan(utterances, { ...page, where: and(spoken, isLater) })
  }
}

/**
 * The event that ends a conversation after its last utterance. The name may be as it was given before names were
 * normalized.
 * @throws LoomlogError `not-found`
 */
export async function conversationEndOf(
  named: string,
  { tenant, space }: SpaceAddress,
  options: TailOptions,
): Promise<ConversationPaused> {
  const key = spaceKey(tenant, space)
  const names = [named, sameName(named)]
  const last =
    (await readTail(key, options)).findLast(({ event }) => names.includes(event.conversation))?.event ??
    (await lastInView(names, key, options.views))
  if (last === undefined)
    throw new LoomlogError('not-found', `there is no utterance in the conversation ${JSON.stringify(named)}`)
  const { id, at, conversation } = last
  return conversationPauseAfter({ id, at: at ?? 0, tenant, space, conversation, appendedAt: Date.now() })
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

/** @param conversations names; null: of any conversation */
async function lastInView(conversations: readonly string[] | null, space: string, views: ViewReader) {
  const spoken = isNull('correction')
  const where = conversations === null ? spoken : and(spoken, oneOf('conversation', conversations))
  const orderBy = [
    { by: 'knownFrom', direction: 'descending' },
    { by: 'offset', direction: 'descending' },
  ] as const
  const [row] = await views.scan(utterances, { space, where, orderBy, limit: 1 })
  return row
}
