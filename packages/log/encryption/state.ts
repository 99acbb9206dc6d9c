/**
 * The keyed state of an encrypted log. Keys hold words, such as ids and names of conversations, so a key is stored as
 * the names of its parts, and the key itself is sealed with the value. A part ends with a slash or a unit separator:
 * the records of a prefix that ends so are still neighbours. Names of parts are short, so other records may be among
 * them; the sealed key decides.
 */
import { TextMap } from '@loomlog/text-caches'
import type { StateChange, StateReader } from '../port.ts'
import type { LogKeys } from './log-keys.ts'

const [slash, unitSeparator] = [0x2f, 0x1f]
/** Names of parts in memory. Beyond this, the cache is cleared. */
const maxNames = 65_536
const lengthBytes = 4
/** Parts of a key that are named one by one: a key of many parts must not grow with them. */
const maxParts = 12
const partNameChars = 8

type Entry = readonly [key: string, value: Uint8Array]

export class SealedState {
  readonly #logKeys: LogKeys
  readonly #names = new TextMap<string>()

  constructor(logKeys: LogKeys) {
    this.#logKeys = logKeys
  }

  reader(inner: StateReader): StateReader {
    return {
      get: (key) => {
        const sealed = inner.get(this.#stored(key))
        return sealed === null ? null : this.#opened(sealed)[1]
      },
      getMany: (keys) => {
        const found = inner.getMany(keys.map((key) => this.#stored(key)))
        return new Map([...found.values()].map((sealed) => this.#opened(sealed)))
      },
      range: (prefix, limit) =>
        this.#all(inner, prefix, Number.MAX_SAFE_INTEGER)
          .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
          .slice(0, limit),
      some: (prefix, limit) => this.#all(inner, prefix, limit),
    }
  }

  changes(changes: readonly StateChange[]): readonly StateChange[] {
    return changes.map(({ key, value }) => ({
      key: this.#stored(key),
      value: value === null ? null : this.#logKeys.seal(null, entryBytes(key, value)),
    }))
  }

  /** `limit` records with the prefix, if there are as many. */
  #all(inner: StateReader, prefix: string, limit: number): Entry[] {
    const end = lastPartEnd(prefix)
    const stored = this.#stored(prefix.slice(0, end))
    if (end === prefix.length) {
      const found = inner.some(stored, limit)
      const own = this.#withPrefix(prefix, found)
      if (own.length === limit || found.length < limit) return own
    }
    return this.#withPrefix(prefix, inner.some(stored, Number.MAX_SAFE_INTEGER)).slice(0, limit)
  }

  #withPrefix(prefix: string, found: readonly Entry[]): Entry[] {
    return found.map(([, sealed]) => this.#opened(sealed)).filter(([key]) => key.startsWith(prefix))
  }

  /** The names of all parts. A part is named together with those before it. */
  #stored(key: string): string {
    const end = lastPartEnd(key)
    const leaf = end === key.length ? '' : this.#logKeys.name(`leaf ${key}`)
    return this.#parts(key.slice(0, end)) + leaf
  }

  #parts(prefix: string): string {
    if (prefix === '') return ''
    const known = this.#names.get(prefix)
    if (known !== undefined) return known
    const before = prefix.slice(0, lastPartEnd(prefix.slice(0, -1)))
    const stored = this.#parts(before) + this.#logKeys.name(`part ${prefix}`).slice(0, partNameChars)
    if (this.#names.size >= maxNames) this.#names.clear()
    this.#names.set(prefix, stored)
    return stored
  }

  #opened(sealed: Uint8Array): Entry {
    const bytes = this.#logKeys.open(null, sealed) ?? Buffer.alloc(lengthBytes)
    const end = lengthBytes + bytes.readUInt32BE(0)
    return [bytes.toString('utf8', lengthBytes, end), bytes.subarray(end)]
  }
}

/** The end of the last complete part, of at most `maxParts`; 0: there is none. */
function lastPartEnd(key: string): number {
  let [end, parts] = [0, 0]
  for (let at = 0; at < key.length && parts < maxParts; at += 1) {
    const code = key.charCodeAt(at)
    if (code !== slash && code !== unitSeparator) continue
    end = at + 1
    parts += 1
  }
  return end
}

function entryBytes(key: string, value: Uint8Array): Buffer {
  const text = Buffer.from(key)
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, value])
}
