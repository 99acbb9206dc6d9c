/**
 * Standing instructions that the context shows, without a question and with those of the conversation, at several
 * budgets, against the marks. ShownInstruction ones are distinct messages and sentences. One is right if its message
 * has an instruction of that author and scope that no later message retires. `npm run eval -- corpus instructions`.
 */
import { contextBlock } from '@loomlog/recall/context-block'
import { messageOf } from '../evidence/message-of.ts'
import type { CorpusConversation } from './conversation.ts'
import { type CorpusMeasure, type JudgedMemory, share } from './measure.ts'

const budgets = [150, 1_000, 100_000] as const

interface ShownInstruction {
  readonly message: string
  readonly text: string
  readonly isRight: boolean
  readonly isTrap: boolean
  readonly isStale: boolean
}

interface ConversationInstructions {
  readonly shown: readonly ShownInstruction[]
  readonly current: readonly { readonly message: string; readonly text: string; readonly isFound: boolean }[]
}

export const instructionsMeasure: CorpusMeasure<ConversationInstructions> = {
  name: 'instructions',
  of: instructionsOf,
  figures(of) {
    const shown = of.flatMap((each) => each.shown)
    const current = of.flatMap((each) => each.current)
    const right = shown.filter(({ isRight }) => isRight).length
    const found = current.filter(({ isFound }) => isFound).length
    return {
      shown: shown.length,
      right,
      precision: share(right, shown.length),
      current: current.length,
      found: share(found, current.length),
      traps: shown.filter(({ isTrap }) => isTrap).length,
      stale: shown.filter(({ isStale }) => isStale).length,
    }
  },
  lines: ({ shown, current }) => [
    ...shown.map(
      (each) => `${each.isRight ? 'right' : each.isStale ? 'STALE' : 'WRONG'} [${each.message}] ${each.text}`,
    ),
    ...current.flatMap((each) => (each.isFound ? [] : [`missed: [${each.message}] ${each.text}`])),
  ],
}

async function instructionsOf(
  { messages, questions }: CorpusConversation,
  { space, memory }: JudgedMemory,
): Promise<ConversationInstructions> {
  const speakers = new Set(messages.filter(({ role }) => role === 'human').map(({ speaker }) => speaker))
  const marked = new Map(messages.map((message) => [message.id, message]))
  // A later message that gives an instruction and changes this one retires it.
  const retired = new Set(
    messages
      .filter(({ instructions }) => instructions.length > 0)
      .flatMap(({ changes }) => changes.flatMap(({ was }) => was)),
  )
  const shown = new Map<string, ShownInstruction>()
  const add = (id: string, text: string, scope: 'author' | 'everybody') => {
    const message = messageOf(id)
    const { instructions = [], instructionTraps = [], speaker = '' } = marked.get(message) ?? {}
    const isMarked = instructions.some(
      (each) => each.scope === scope && (each.by === speaker || !speakers.has(each.by)),
    )
    const isStale = instructions.length > 0 && retired.has(message)
    const isTrap = instructions.length === 0 && instructionTraps.length > 0
    shown.set(`${message} ${text}`, { message, text, isRight: isMarked && !isStale, isTrap, isStale })
  }
  // Without an instruction of this author, those for everybody are left.
  const ofAll = await contextBlock({ space, budgetTokens: 100_000, for: 'an unknown person' }, memory)
  const forAll = new Set(ofAll.items.flatMap(({ id, part }) => (part === 'instruction' ? [id] : [])))
  for (const query of [undefined, ...questions.map(({ ask }) => ask)]) {
    for (const budgetTokens of budgets) {
      const { items } = await contextBlock({ space, budgetTokens, ...(query !== undefined && { query }) }, memory)
      for (const { id, text, part } of items)
        if (part === 'instruction') add(id, text, forAll.has(id) ? 'everybody' : 'author')
    }
  }
  const current = messages
    .filter(({ id, instructions }) => instructions.length > 0 && !retired.has(id))
    .map(({ id, text }) => ({
      message: id,
      text,
      isFound: [...shown.values()].some(({ message, isRight }) => message === id && isRight),
    }))
  return { shown: [...shown.values()], current }
}
