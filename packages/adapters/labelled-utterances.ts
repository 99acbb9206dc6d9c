/**
 * Values of a framework in a conversation of the memory: each is an utterance, with the value as JSON in a label and
 * its words as the text. Times are the order of the values. Those of one object are one ms apart at least.
 */
import type { ListedMemory, Utterance } from '@loomlog/client/api'
import type { MemorySpace } from '@loomlog/client/memory'
import { hash } from '@loomlog/schemas/ids'

export interface LabelledConversation {
  readonly space: MemorySpace
  readonly conversation: string
  /** The label of the utterances with a value, and the author of retractions. */
  readonly label: string
}

export interface LabelledValue<T> {
  /** The id of the utterance. */
  readonly id: string
  /** In ms since 1970. */
  readonly at: number
  readonly value: T
}

export type NewValue<T> = Pick<Utterance, 'speaker' | 'role' | 'text'> & { readonly value: T }

/** Longest wait until written values can be read. */
const waitMs = 30_000
const pageItems = 500
/** Below the limit of 65,536 bytes of a text, at three bytes a character. */
const maxTextChars = 20_000
/** Most ids of a retraction. */
const maxRetracted = 1_000

/** By space and conversation: settles when the last work there has ended, well or not. */
const endOfWork = new WeakMap<MemorySpace, Map<string, Promise<void>>>()

export class LabelledUtterances<T> {
  readonly #at: LabelledConversation
  /** The time of the newest value, as far as known. */
  #newest: number | null = null

  constructor(at: LabelledConversation) {
    this.#at = at
  }

  /**
   * Work that reads values and then changes them: it begins when all such work that was begun before on this
   * conversation, by any object with the same space, has ended. Other processes don't wait.
   */
  async inTurn<R>(work: () => Promise<R>): Promise<R> {
    const { space, conversation } = this.#at
    const ends = endOfWork.get(space) ?? new Map<string, Promise<void>>()
    endOfWork.set(space, ends)
    const result = (ends.get(conversation) ?? Promise.resolve()).then(work)
    const end = result.then(
      () => {},
      () => {},
    )
    ends.set(conversation, end)
    try {
      return await result
    } finally {
      if (ends.get(conversation) === end) ends.delete(conversation)
    }
  }

  /** In their order, with every value that any process has written before. */
  async read(): Promise<readonly LabelledValue<T>[]> {
    const { space, conversation, label } = this.#at
    // Is in the log once. Each further time it only gives the position after every write.
    const opening = { id: hash([label, conversation]), speaker: label, role: 'system', text: '(session)' } as const
    const { position } = await space.add(opening, { conversation })
    // The cheapest call that waits for the views; its result is of no use.
    await space.recall(conversation, { after: position, wait: waitMs, kind: 'document', limit: 1 })
    const found: LabelledValue<T>[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await space.list({ kind: 'utterance', conversation, limit: pageItems, cursor })
      found.push(...page.memories.flatMap((memory) => this.#valueIn(memory)))
      cursor = page.next
    }
    const values = found.toSorted((a, b) => a.at - b.at)
    this.#newest = Math.max(this.#newest ?? 0, values.at(-1)?.at ?? 0)
    return values
  }

  async add(values: readonly NewValue<T>[]): Promise<void> {
    if (values.length === 0) return
    if (this.#newest === null) await this.read()
    const { space, conversation, label } = this.#at
    const first = Math.max(Date.now(), (this.#newest ?? 0) + 1)
    this.#newest = first + values.length - 1
    const messages = values.map(({ value, text, ...author }, place) => ({
      ...author,
      // Without an id it would be derived from the content: equal values of one ms would be one utterance.
      id: crypto.randomUUID(),
      at: timeOf(first + place),
      text: text.trim().slice(0, maxTextChars),
      metadata: { [label]: JSON.stringify(value) },
    }))
    await space.add(messages, { conversation })
  }

  async retract(values: readonly LabelledValue<T>[], reason: string): Promise<void> {
    const ids = values.map(({ id }) => id)
    for (let first = 0; first < ids.length; first += maxRetracted)
      await this.#retract({ utterances: ids.slice(first, first + maxRetracted), reason })
  }

  /** Retracts the whole conversation. */
  async retractAll(reason: string): Promise<void> {
    await this.#retract({ reason })
  }

  async #retract(selected: { readonly utterances?: readonly string[]; readonly reason: string }): Promise<void> {
    const { space, conversation, label } = this.#at
    // The program acts for its people: an agent retracts no words of a person, which a session has too.
    await space.retract({ conversation, by: label, role: 'human', ...selected })
  }

  #valueIn({ id, at, labels }: ListedMemory): readonly LabelledValue<T>[] {
    const named = (labels as readonly string[]).map((each): readonly [string, string] => JSON.parse(each))
    const [, json] = named.find(([name]) => name === this.#at.label) ?? []
    return json === undefined || at === null ? [] : [{ id, at, value: JSON.parse(json) }]
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
