/**
 * A judged conversation: its messages in the format of `loomlog ingest`, and the marks of each by message id. README.md of this folder
 * describes the format.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'

export const halves = ['tuning', 'unseen'] as const
export type Half = (typeof halves)[number]

export interface Change {
  /** Earlier messages whose statements this message ends. */
  readonly was: readonly string[]
  readonly ask: string
}

export interface Marks {
  readonly facts: readonly string[]
  readonly traps: readonly string[]
  readonly changes: readonly Change[]
}

export interface Message {
  readonly id: string
  readonly conversation: string
  readonly speaker: string
  readonly role: 'human' | 'agent' | 'tool'
  /** ISO 8601. */
  readonly at: string
  readonly text: string
}

export interface Conversation {
  readonly name: string
  readonly language: string
  readonly messages: readonly Message[]
  readonly marks: ReadonlyMap<string, Marks>
}

type Line = Partial<Message & Marks> & Pick<Message, 'id' | 'speaker' | 'role' | 'text'>

const betweenMessagesMs = 60_000

export function readConversations(half: Half): readonly Conversation[] {
  const folder = new URL(`./${half}/`, import.meta.url)
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'))
  return files.sort().map((file) => parseConversation(readFileSync(new URL(file, folder), 'utf8')))
}

/** @throws LoomlogError `input-invalid` for a change of a message that is not an earlier one */
function parseConversation(text: string): Conversation {
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const messages: Message[] = []
  const marks = new Map<string, Marks>()
  for (const line of lines as readonly Line[]) {
    const { id, speaker, role, text, facts = [], traps = [], changes = [] } = line
    const before = messages.at(-1)
    const conversation = line.conversation ?? before?.conversation ?? head.name
    const next = new Date(Date.parse(before?.at ?? '') + betweenMessagesMs)
    for (const was of changes.flatMap((change) => change.was)) {
      if (!marks.has(was)) throw new LoomlogError('input-invalid', `${id} changes ${was}: expected an earlier message`)
    }
    messages.push({ id, conversation, speaker, role, at: line.at ?? next.toISOString(), text })
    marks.set(id, { facts, traps, changes })
  }
  return { name: head.name, language: head.language, messages, marks }
}
