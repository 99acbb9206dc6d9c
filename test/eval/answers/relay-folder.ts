/**
 * A folder through which people or models answer requests: `N.req.json` and the readable `N.req.txt` wait until
 * `N.ans.txt` has the answer. A request keeps its number over restarts, by its hash. An answer is taken once it is not
 * empty and has stopped growing.
 */
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '@loomlog/schemas/ids'
import { type ChatRequest, requestHash } from './answer-store.ts'

const numberDigits = 4
const defaultPollMs = 300

export class RelayFolder {
  readonly #folder: string
  readonly #pollMs: number
  /** By hash of the request. */
  readonly #numbers = new Map<string, string>()

  constructor(folder: string, { pollMs = defaultPollMs }: { readonly pollMs?: number } = {}) {
    this.#folder = folder
    this.#pollMs = pollMs
    mkdirSync(folder, { recursive: true })
    for (const file of globSync('*.req.json', { cwd: folder })) {
      const { hash } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly hash: string }
      this.#numbers.set(hash, file.slice(0, -'.req.json'.length))
    }
  }

  /** @throws the signal's reason */
  async ask(request: ChatRequest, signal: AbortSignal): Promise<string> {
    const file = join(this.#folder, `${this.#numberOf(request)}.ans.txt`)
    let before = ''
    while (true) {
      const text = await readFile(file, 'utf8').catch(() => '')
      if (text.trim() !== '' && text === before) return text.trim()
      before = text
      await sleep(this.#pollMs, undefined, { signal })
    }
  }

  #numberOf(request: ChatRequest): string {
    const hash = requestHash(request)
    const known = this.#numbers.get(hash)
    if (known !== undefined) return known
    const last = Math.max(0, ...[...this.#numbers.values()].map(Number))
    const number = String(last + 1).padStart(numberDigits, '0')
    this.#numbers.set(hash, number)
    writeFileSync(join(this.#folder, `${number}.req.txt`), readableRequest(request))
    // Renamed, so that a reader of the folder never finds half a request.
    const file = join(this.#folder, `${number}.req.json`)
    writeFileSync(`${file}.part`, `${JSON.stringify({ hash, ...request }, null, 1)}\n`)
    renameSync(`${file}.part`, file)
    return number
  }
}

/** Messages with their line breaks, and the schema of the answer. */
export function readableRequest({ messages, response_format }: ChatRequest): string {
  const parts = messages.map(({ role, content }) => `--- ${role}\n${readableContent(content)}\n`)
  const schema = response_format?.json_schema?.schema
  return [...parts, ...(schema === undefined ? [] : [`--- schema of the answer\n${JSON.stringify(schema)}\n`])].join('')
}

/** An input is JSON: a text is shown without escapes, everything else with line breaks. */
function readableContent(content: string): string {
  try {
    const value = JSON.parse(content) as Json
    return typeof value === 'string' ? value : JSON.stringify(value, null, 1)
  } catch {
    return content
  }
}
