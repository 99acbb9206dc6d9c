/**
 * LoCoMo's lines as live conversations. Each sample is a space, its sessions are cut into short conversations, and
 * between two of them is a seeded silence of a minute to three days. A silence longer than the pause of the space ends
 * its window and batches.
 */
import type { ImportedEvent } from '@loomlog/intake/formats'
import { conversationPauseAfter, spacePauseAfter, utteranceFrom } from '@loomlog/intake/utterance'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { seededRandom } from '../../seeded-random.ts'

export interface SpokenLine {
  readonly dia_id: string
  readonly speaker: string
  readonly text: string
}

const minuteMs = 60_000
const linesPerConversation = 8
const turnMs = minuteMs / 2
const leastSilenceMs = minuteMs
const mostSilenceMs = 3 * 24 * 60 * minuteMs
const firstDay = Date.UTC(2026, 2, 2, 9)

/** @param spaces the sessions of each space */
export function liveSpaces(
  spaces: readonly (readonly (readonly SpokenLine[])[])[],
  { pauseMs, seed }: { readonly pauseMs: number; readonly seed: number },
): readonly ImportedEvent[] {
  return spaces.flatMap((sessions, index) => {
    const random = seededRandom(seed + index)
    const place = { tenant: 'default', space: `live-${index}` }
    let at = firstDay
    return sessions.flatMap(inShortConversations).flatMap((lines, number) => {
      const said = lines.map(({ dia_id: id, speaker, text }): UtteranceAppended => {
        at += turnMs
        const line = { id, conversation: `c${number}`, speaker, text, at: new Date(at).toISOString() }
        return utteranceFrom(line, place, at)
      })
      const silenceMs = Math.round(leastSilenceMs * (mostSilenceMs / leastSilenceMs) ** random())
      at += silenceMs
      const last = said.slice(-1)
      return [...said, ...last.map(conversationPauseAfter), ...(silenceMs > pauseMs ? last.map(spacePauseAfter) : [])]
    })
  })
}

function inShortConversations(session: readonly SpokenLine[]): readonly (readonly SpokenLine[])[] {
  const starts = session.map((_, at) => at).filter((at) => at % linesPerConversation === 0)
  return starts.map((at) => session.slice(at, at + linesPerConversation))
}
