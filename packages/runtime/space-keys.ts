/** The state keys under which the runtime keeps a space's place and the ids it has seen there: made once a space, used with every record. */
import { stateKey } from './overlay.ts'

/** Of more than these, all are made anew. */
const maxSpaces = 4_096

export class SpaceKeys {
  readonly place: string
  /** No key that is one of ours has a control character in it. */
  readonly hasControl: boolean
  readonly #seen: string

  constructor(space: string) {
    this.place = stateKey('space', space)
    this.hasControl = /\p{Cc}/u.test(space)
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
