/** The state keys for a space's seq and seen ids. They are computed once per space, and used with every record. */
import { maxKeyBytes } from '@loomlog/log/port'
import { hash } from '@loomlog/schemas/ids'
import { stateKey } from './overlay.ts'

/** Beyond this, the cache is cleared. */
const maxSpaces = 4_096

export class SpaceKeys {
  readonly place: string
  /** Why the key is invalid; null: it is valid. */
  readonly wrong: string | null
  readonly #seen: string

  constructor(space: string) {
    const bytes = Buffer.byteLength(space)
    const isLong = bytes > maxKeyBytes
    this.place = stateKey('space', isLong ? hash(space) : space)
    if (isLong) this.wrong = `its key has ${bytes} bytes; ${maxKeyBytes} are the most`
    else this.wrong = /\p{Cc}/u.test(space) ? 'its key holds a control character' : null
    this.#seen = stateKey('seen', space, '')
  }

  /** @param id as it was decoded, so never with half a surrogate pair */
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
