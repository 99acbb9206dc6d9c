/**
 * The workload: utterances as the gateway writes them, with sorted keys, the same in every run. A text has the length
 * of a turn in LoCoMo. Spaces and conversations alternate, so every partition has work.
 */
import type { NewRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { seededRandom } from '../../seeded-random.ts'

const tenant = 'bench'
const spaces = 40
const conversationsOfASpace = 3
const words = 'we moved to Porto last spring and the garden behind the house is finally warm enough for tomatoes'.split(
  ' ',
)
const wordsOfAText = 37

export function utterances(size: number): readonly UtteranceAppended[] {
  const random = seededRandom(1)
  return Array.from({ length: size }, (_, at) => {
    const text = Array.from({ length: wordsOfAText }, () => words[Math.floor(random() * words.length)]).join(' ')
    const spokenAt = 1_750_000_000_000 + at * 1_000
    return {
      appendedAt: spokenAt,
      at: spokenAt,
      attachments: [],
      conversation: `conversation-${Math.floor(at / spaces) % conversationsOfASpace}`,
      id: `u${at}`,
      isTimeGiven: true,
      canInstruct: true,
      keyId: null,
      principal: null,
      metadata: {},
      role: at % 2 === 0 ? 'human' : 'agent',
      space: `space-${at % spaces}`,
      speaker: at % 2 === 0 ? 'Maya' : 'Assistant',
      tenant,
      text,
      type: 'UtteranceAppended',
    }
  })
}

export function encodeAll(codec: Codec, events: readonly UtteranceAppended[]): readonly NewRecord[] {
  return events.map((event) => ({
    key: spaceKey(event.tenant, event.space),
    value: codec.encode(event),
    timestamp: event.appendedAt,
  }))
}
