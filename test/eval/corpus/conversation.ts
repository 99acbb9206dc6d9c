/**
 * A conversation of the corpus: a file of JSON lines with its head, its messages, each with the marks of a reader, and
 * questions. `test/corpus/README.md` describes the format.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'

export const questionKinds = [
  'lookup',
  'current',
  'was',
  'order',
  'count',
  'who',
  'preference',
  'overview',
  'never',
] as const
export type QuestionKind = (typeof questionKinds)[number]

export interface Head {
  readonly name: string
  readonly kind: string
  /** ISO 639-1. */
  readonly language: string
  readonly card: { readonly [part in 'who' | 'talk' | 'changes' | 'traps']: string }
}

export interface MarkedChange {
  /** Every earlier message that states the outdated value. */
  readonly was: readonly string[]
  readonly of: string
  readonly attribute: string
  readonly old?: string
  readonly new: string
  /** The day from which the new value holds, where it is known. */
  readonly from?: string
  readonly ask: string
}

export interface MarkedInstruction {
  readonly text: string
  readonly by: string
  readonly scope: 'author' | 'everybody'
}

export interface MarkedMessage {
  readonly id: string
  readonly conversation: string
  readonly speaker: string
  readonly role: 'human' | 'agent' | 'tool'
  /** ISO 8601. */
  readonly at: string
  readonly text: string
  readonly facts: readonly string[]
  readonly traps: readonly string[]
  readonly changes: readonly MarkedChange[]
  /** Earlier messages that this one only seems to change. */
  readonly seems: readonly string[]
  readonly instructions: readonly MarkedInstruction[]
  readonly instructionTraps: readonly string[]
  /** The topic that begins with this message; empty: it continues the topic before. */
  readonly opens: string
}

export interface CorpusQuestion {
  readonly question: string
  readonly ask: string
  readonly kind: QuestionKind
  readonly gold: readonly string[]
  readonly stale: readonly string[]
  readonly answer: string
}

export interface CorpusConversation extends Head {
  readonly messages: readonly MarkedMessage[]
  readonly questions: readonly CorpusQuestion[]
}

/** A message without `at` comes this long after the one before. */
const betweenMessagesMs = 60_000

/** @throws LoomlogError `input-invalid` for a folder without conversations, or a file that doesn't have the form */
export function readCorpus(folder: string): readonly CorpusConversation[] {
  const files = globSync('*.jsonl', { cwd: folder }).sort()
  if (files.length === 0) {
    throw new LoomlogError(
      'input-invalid',
      `${folder} has no conversation: expected files such as test/corpus/learn/*.jsonl`,
    )
  }
  return files.map((file) => parseConversation(readFileSync(join(folder, file), 'utf8'), file))
}

type Line = Partial<MarkedMessage> & Partial<CorpusQuestion>

function parseConversation(text: string, file: string): CorpusConversation {
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line, at) => parseLine(line, `${file}:${at + 1}`))
  const messages: MarkedMessage[] = []
  const questions: CorpusQuestion[] = []
  for (const line of lines as readonly Line[]) {
    if (line.question === undefined) messages.push(messageOf(line, messages.at(-1), file))
    else questions.push({ gold: [], stale: [], ...line } as CorpusQuestion)
  }
  return { ...(head as Head), messages, questions }
}

function parseLine(line: string, place: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new LoomlogError('input-invalid', `${place} is no JSON: ${(cause as Error).message}`, { cause })
  }
}

function messageOf(line: Line, before: MarkedMessage | undefined, file: string): MarkedMessage {
  const { id, speaker, role, text } = line
  const conversation = line.conversation ?? before?.conversation
  const at = line.at ?? (before && new Date(Date.parse(before.at) + betweenMessagesMs).toISOString())
  if (id === undefined || speaker === undefined || role === undefined || text === undefined || !conversation || !at) {
    throw new LoomlogError(
      'input-invalid',
      `${file} has the message ${JSON.stringify(line)}: expected id, speaker, role, text; the first with conversation and at`,
    )
  }
  const {
    facts = [],
    traps = [],
    changes = [],
    seems = [],
    instructions = [],
    instructionTraps = [],
    opens = '',
  } = line
  return {
    id,
    conversation,
    speaker,
    role,
    at,
    text,
    facts,
    traps,
    changes,
    seems,
    instructions,
    instructionTraps,
    opens,
  }
}

/** For each message, those that outdate a statement of it, directly or by a later change of the new value. */
export function successorsOf({ messages }: CorpusConversation): ReadonlyMap<string, ReadonlySet<string>> {
  const successors = new Map<string, Set<string>>()
  for (const { id, changes } of messages.toReversed()) {
    for (const was of changes.flatMap((change) => change.was)) {
      const known = successors.get(was) ?? new Set()
      successors.set(was, known)
      for (const later of [id, ...(successors.get(id) ?? [])]) known.add(later)
    }
  }
  return successors
}
