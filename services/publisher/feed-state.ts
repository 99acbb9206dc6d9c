/**
 * The publisher's keyed records of one partition, and the changes that wait for the next commit.
 *
 * `topic/<topic>`: the position and the watermark of a topic. `space/<tenant/space>`: the generation that the feed of a
 * space follows, and its marks. `row/<topic>/<tenant/space>/<table>/<id>`: a memory by the events of the topic; a
 * retired one has no row. `restart/<topic>/<tenant/space>`: the log time of the last forgetting that the topic has
 * passed on. `correction/<tenant/space>/<id>`: action and author of a correction or an undo.
 */
import type { StateChange, StateReader } from '@loomlog/log/port'
import type { StoredRow } from '@loomlog/views/row'

export interface TopicState {
  /** The next offset to read. */
  readonly next: number
  /** The topic reflects all utterances of the partition below this offset. */
  readonly watermark: number
  /** Its rows are being removed, since no generation that is live has it. */
  readonly isDropped: boolean
}

export interface SpaceState {
  /** Null: no generation is live for it. */
  readonly generation: string | null
  /** How many generations the feed of the space has followed. */
  readonly switches: number
  /** The offset of the last mark, under any generation. */
  readonly marked: number
  /**
   * The space switched to a generation that is behind that mark. It gets another mark there once the generation has
   * caught up.
   */
  readonly owesMark: boolean
  /** Log time of the last forgetting that was published; left out: there was none. */
  readonly forgotten?: number
}

/** Action and author of a correction or an undo, from its source event. */
export interface CorrectionOrigin {
  readonly action: string
  readonly by: string
}

interface RowAddress {
  readonly topic: string
  readonly space: string
  readonly table: string
  readonly id: string
}

const all = Number.MAX_SAFE_INTEGER
const decoder = new TextDecoder()
const encoder = new TextEncoder()

export class FeedState {
  readonly #committed: StateReader
  readonly #pending = new Map<string, Uint8Array | null>()

  constructor(committed: StateReader) {
    this.#committed = committed
  }

  get pending(): number {
    return this.#pending.size
  }

  /** The states of topics and of spaces, by name. Each is read once, when a lease begins. */
  topics(): Map<string, TopicState> {
    return this.#all('topic/')
  }

  spaces(): Map<string, SpaceState> {
    return this.#all('space/')
  }

  putTopic(topic: string, state: TopicState | null): void {
    this.#put(`topic/${topic}`, state)
  }

  putSpace(space: string, state: SpaceState): void {
    this.#put(`space/${space}`, state)
  }

  row(address: RowAddress): StoredRow | undefined {
    return (this.#get(rowKeyOf(address)) as StoredRow | null) ?? undefined
  }

  correction(space: string, id: string): CorrectionOrigin | null {
    return this.#get(`correction/${space}/${id}`) as CorrectionOrigin | null
  }

  putCorrection(space: string, id: string, origin: CorrectionOrigin): void {
    this.#put(`correction/${space}/${id}`, origin)
  }

  putRow(address: RowAddress, row: StoredRow | null): void {
    this.#put(rowKeyOf(address), row)
  }

  /** Committed rows by id; nothing of the space may be pending. */
  rows({ topic, space, table }: Omit<RowAddress, 'id'>): Map<string, StoredRow> {
    return this.#all(rowKeyOf({ topic, space, table, id: '' }))
  }

  /** Removes some records of a topic with the next commit. Returns whether there may be more. */
  dropRows(topic: string, most: number): boolean {
    const prefixes = [`row/${topic}/`, `restart/${topic}/`]
    const found = prefixes.flatMap((prefix) => this.#committed.some(prefix, most))
    for (const [key] of found) this.#pending.set(key, null)
    return found.length >= most
  }

  /** Removes everything that the space had in the topic. Nothing of the space may be pending. */
  dropSpace(topic: string, space: string): void {
    for (const [key] of this.#committed.range(`row/${topic}/${space}/`, all)) this.#pending.set(key, null)
  }

  dropCorrections(space: string): void {
    for (const [key] of this.#committed.range(`correction/${space}/`, all)) this.#pending.set(key, null)
  }

  /** Log time of the last forgetting of the space that the topic has passed on; 0: it has passed none on. */
  restartedAt(topic: string, space: string): number {
    return (this.#get(`restart/${topic}/${space}`) as { readonly at: number } | null)?.at ?? 0
  }

  putRestart(topic: string, space: string, at: number): void {
    this.#put(`restart/${topic}/${space}`, { at })
  }

  changes(): readonly StateChange[] {
    return [...this.#pending].map(([key, value]) => ({ key, value }))
  }

  /** Call it after the commit. */
  settle(): void {
    this.#pending.clear()
  }

  #get(key: string): unknown {
    const value = this.#pending.has(key) ? this.#pending.get(key) : this.#committed.get(key)
    return value ? parsed(value) : null
  }

  #put(key: string, value: object | null): void {
    this.#pending.set(key, value === null ? null : encoder.encode(JSON.stringify(value)))
  }

  #all<T>(prefix: string): Map<string, T> {
    const found = this.#committed.range(prefix, all)
    return new Map(found.map(([key, value]) => [key.slice(prefix.length), parsed(value) as T]))
  }
}

function rowKeyOf({ topic, space, table, id }: RowAddress): string {
  return `row/${topic}/${space}/${table}/${id}`
}

function parsed(value: Uint8Array): unknown {
  return JSON.parse(decoder.decode(value))
}
