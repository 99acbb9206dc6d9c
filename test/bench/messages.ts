/** Messages of made-up conversations, for benchmarks. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

export interface Shape {
  readonly messages: number
  readonly spaces: number
}

const messagesOfConversation = 10
const cities = ['Porto', 'Lisbon', 'Oslo', 'Rome', 'Graz', 'Bern', 'Turin', 'Lyon', 'Ghent', 'Cork']
const things = ['boat', 'garden', 'car', 'piano', 'bicycle', 'kitchen', 'novel', 'garage', 'tent', 'camera']
const names = ['Maya', 'Tomas', 'Ana', 'Ben', 'Ida', 'Leo', 'Nora', 'Otto', 'Pia', 'Sam']

/** Conversations of two people, each in one of the spaces in turn; long messages end with the same words. */
export async function writeMessages(file: string, { messages, spaces, chars }: Shape & { readonly chars: number }) {
  const out = createWriteStream(file)
  for (let n = 0; n < messages; n++) {
    const conversation = Math.floor(n / messagesOfConversation)
    const turn = n % messagesOfConversation
    const line = {
      id: `m${n}`,
      space: `space-${conversation % spaces}`,
      conversation: `c${conversation}`,
      speaker: named(names, conversation + (turn % 2)),
      at: new Date(Date.UTC(2026, 0, 1) + conversation * 3_600_000 + turn * 60_000).toISOString(),
      text: textOf(conversation, turn).padEnd(chars, ' The rest of the day was quiet.'),
    }
    if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}

function textOf(conversation: number, turn: number): string {
  const at = conversation * 7 + turn * 3
  const texts = [
    `I moved to ${named(cities, at)} last week.`,
    `Good luck there! My sister ${named(names, at + 3)} visited me in May.`,
    `I bought a ${named(things, at + 1)} yesterday, and I like it.`,
    `We should repair the ${named(things, at + 5)} on Saturday.`,
    `Did you see the ${named(things, at + 2)} in ${named(cities, at + 4)}?`,
  ]
  return named(texts, conversation + turn)
}

function named(list: readonly string[], at: number): string {
  return list[at % list.length] ?? ''
}
