/**
 * A trial: chosen conversations of a corpus as one space, and the folder with its recordings. Conversations stay
 * conversations, messages keep their ids, and their times interleave. `trial.json` in the folder of the recordings
 * keeps the choice, so that a later command needs none.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { spaceKey } from '@loomlog/schemas/ids'
import { type CorpusConversation, type CorpusQuestion, type MarkedMessage, readCorpus } from '../corpus/conversation.ts'

export const spaceName = 'answers'
export const space = spaceKey('default', spaceName)

export interface TrialQuestion extends CorpusQuestion {
  /** Its conversation in the corpus. */
  readonly sample: string
  /** Unique in the trial. */
  readonly id: string
}

export interface Trial {
  readonly conversations: readonly CorpusConversation[]
  /** In the order of time. */
  readonly messages: readonly MarkedMessage[]
  readonly questions: readonly TrialQuestion[]
  /** The folder of the recordings. */
  readonly recorded: string
}

export interface TrialChoice {
  /** A half of the corpus. */
  readonly data: string
  /** Null: `recorded/` beside this file, and in it the name of the half. */
  readonly recorded: string | null
  /** Names of conversations, or the first ones in the order of names; null: those of the recorded trial. */
  readonly conversations: readonly string[] | number | null
}

/** @throws LoomlogError `input-invalid` */
export function openTrial({ data, recorded, conversations }: TrialChoice): Trial {
  const folder = recorded ?? join(import.meta.dirname, 'recorded', basename(resolve(data)))
  const chosen = chooseFrom(readCorpus(data), conversations ?? recordedNames(folder))
  return { ...trialOf(chosen), recorded: folder }
}

/** The content of `trial.json`. */
interface TrialRecord {
  readonly conversations?: readonly string[]
  readonly origin?: RecordingOrigin
}

/** The origin of the recorded readings and verdicts, and their numbers. */
interface RecordingOrigin {
  readonly by: string
  readonly day: string
  readonly readings: number
  readonly judgements: number
}

/** Keeps the choice of conversations for later commands. */
export function recordChoice({ recorded, conversations }: Trial): void {
  changeRecord(recorded, { conversations: conversations.map(({ name }) => name) })
}

export function recordOrigin({ recorded }: Trial, origin: RecordingOrigin): void {
  changeRecord(recorded, { origin })
}

function changeRecord(folder: string, change: TrialRecord): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(recordFile(folder), `${JSON.stringify({ ...readRecord(folder), ...change }, null, 2)}\n`)
}

function readRecord(folder: string): TrialRecord {
  const file = recordFile(folder)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TrialRecord) : {}
}

function recordFile(folder: string): string {
  return join(folder, 'trial.json')
}

function recordedNames(folder: string): readonly string[] {
  const { conversations } = readRecord(folder)
  if (conversations !== undefined) return conversations
  throw new LoomlogError(
    'input-invalid',
    `${recordFile(folder)} names no conversations: begin with answers derive and --conversations or --count`,
  )
}

function chooseFrom(
  all: readonly CorpusConversation[],
  wanted: readonly string[] | number,
): readonly CorpusConversation[] {
  if (typeof wanted === 'number') {
    if (Number.isInteger(wanted) && wanted >= 1 && wanted <= all.length) return all.slice(0, wanted)
    throw new LoomlogError('input-invalid', `--count is ${wanted}: expected 1 to ${all.length}`)
  }
  return wanted.map((name) => {
    const found = all.find((each) => each.name === name)
    if (found !== undefined) return found
    throw new LoomlogError('input-invalid', `--conversations names ${name}: expected names of files without .jsonl`)
  })
}

/** @throws LoomlogError `input-invalid` if two messages share an id */
export function trialOf(conversations: readonly CorpusConversation[]): Omit<Trial, 'recorded'> {
  const owners = new Map<string, string>()
  const messages = conversations.flatMap(({ name, messages }) =>
    messages.map((message) => {
      // A conversation of the same name in another file is another conversation.
      const owner = owners.get(message.conversation) ?? name
      owners.set(message.conversation, owner)
      return owner === name ? message : { ...message, conversation: `${name}/${message.conversation}` }
    }),
  )
  const ids = new Set<string>()
  for (const { id } of messages) {
    if (ids.has(id)) throw new LoomlogError('input-invalid', `two messages have the id ${id}: expected different ids`)
    ids.add(id)
  }
  return {
    conversations,
    messages: messages.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    questions: conversations.flatMap(({ name, questions }) =>
      questions.map((each) => ({ ...each, sample: name, id: `${name}/${each.question}` })),
    ),
  }
}

/** The messages as lines of `loomlog ingest`, without their marks. */
export function linesOf({ messages }: Pick<Trial, 'messages'>): string {
  const line = ({ id, conversation, speaker, role, at, text }: MarkedMessage) =>
    `${JSON.stringify({ id, conversation, speaker, role, at, text })}\n`
  return messages.map(line).join('')
}
