/**
 * Recorded answers of a model in a folder of JSON Lines: one file a task and version of its prompt, so that a changed
 * prompt begins a new file. An answer is found by the hash of its request (messages and response format); nothing
 * depends on a prompt's words. An answer is stored once, and its text is kept as it came.
 */
import { appendFileSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash, hashText, type Json } from '@loomlog/schemas/ids'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

export interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format?: {
    readonly type: string
    readonly json_schema?: { readonly name: string; readonly schema: Json }
  }
}

export interface RecordedAnswer {
  readonly hash: string
  /** Tokens of the request (o200k): its messages and its schema. */
  readonly inputTokens: number
  readonly answer: string
}

const hashChars = 24
const promptChars = 8
/** No text is a control sequence of a model. */
const asPlainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

export function tokensIn(text: string): number {
  return countTokens(text, asPlainText)
}

export function requestHash({ messages, response_format = { type: 'text' } }: ChatRequest): string {
  return hash([messages, response_format] as unknown as Json).slice(0, hashChars)
}

function requestTokens({ messages, response_format }: ChatRequest): number {
  const schema = response_format?.json_schema?.schema
  const ofSchema = schema === undefined ? 0 : tokensIn(JSON.stringify(schema))
  return messages.reduce((sum, { content }) => sum + tokensIn(content), ofSchema)
}

/** The task and the version of its prompt: `extract-facts-1a2b3c4d`. */
export function recordingName({ messages, response_format }: ChatRequest): string {
  const task = response_format?.json_schema?.name ?? 'unnamed'
  const prompt = messages.find(({ role }) => role === 'system')?.content ?? ''
  const name = task.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return `${name}-${hashText(prompt).slice(0, promptChars)}`
}

export class AnswerStore {
  readonly #folder: string
  readonly #answers = new Map<string, RecordedAnswer>()

  constructor(folder: string) {
    this.#folder = folder
    for (const file of globSync('*.jsonl', { cwd: folder }).sort()) {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n')
      for (const line of lines.filter((each) => each !== '')) {
        const answer = JSON.parse(line) as RecordedAnswer
        this.#answers.set(answer.hash, answer)
      }
    }
  }

  find(request: ChatRequest): RecordedAnswer | null {
    return this.#answers.get(requestHash(request)) ?? null
  }

  /** An answer that is known stays as it is. */
  record(request: ChatRequest, answer: string): RecordedAnswer {
    const known = this.find(request)
    if (known !== null) return known
    const recorded = { hash: requestHash(request), inputTokens: requestTokens(request), answer }
    mkdirSync(this.#folder, { recursive: true })
    appendFileSync(join(this.#folder, `${recordingName(request)}.jsonl`), `${JSON.stringify(recorded)}\n`)
    this.#answers.set(recorded.hash, recorded)
    return recorded
  }
}
