/** The state keys and the place of each space, computed or read once and used for every record. */
import { maxKeyBytes } from '@loomlog/log/port'
import { hash } from '@loomlog/schemas/ids'
import { stateKey } from './overlay.ts'

/** Beyond this, the cache is cleared. */
const maxSpaces = 4_096

/** A space's next seq, and the highest input offset that is done. */
export type SpacePosition = {
  readonly seq: number
  readonly through: number
  /** Log time of its last forgetting; left out: there was none. */
  readonly since?: number
}

export class SpaceKeys {
  readonly placeKey: string
  /** The value under `placeKey`; null: not read yet. */
  place: SpacePosition | null = null
  /** Why the key is invalid; null: it is valid. */
  readonly wrong: string | null
  /** The beginnings of all other keys of the space: seen ids, records of lanes, inputs kept for a retry. */
  readonly prefixes: readonly string[]
  readonly #seen: string

  constructor(space: string) {
    const bytes = Buffer.byteLength(space)
    const isLong = bytes > maxKeyBytes
    this.placeKey = stateKey('space', isLong ? hash(space) : space)
    if (isLong) this.wrong = `its key has ${bytes} bytes; ${maxKeyBytes} are the most`
    else this.wrong = /\p{Cc}/u.test(space) ? 'its key holds a control character' : null
    this.#seen = stateKey('seen', space, '')
    this.prefixes = [this.#seen, stateKey('lane', space, ''), stateKey('parked', space, '')]
  }

  /** @param id a decoded one, so without half a surrogate pair */
  seen(id: string): string {
    return this.#seen + id
  }
}

export class KeysBySpace {
  readonly #known = new Map<string, SpaceKeys>()

  of(space: string): SpaceKeys {
    const known = this.#known.get(space)
    if (known) return known
    if (this.#known.size >= maxSpaces) this.#known.clear()
    const keys = new SpaceKeys(space)
    this.#known.set(space, keys)
    return keys
  }
}
