/**
 * Lets at most so many pieces of work run at once; the others wait. Places are shared between those that the work is for (spaces):
 * a free place goes to whoever has the fewest, and among those to whoever was let in the longest ago. Nor can slow work pile up in all
 * the places while the others rest: whoever is not known to be quick takes a further place only while more are free than he has, or,
 * where nobody else has been for a while, all but an eighth. So slow work of one holds up no other. What is for the same one runs in the order in which it came. Whoever stops waiting (its signal
 * aborts) leaves the line and never runs.
 */
interface Gate {
  pass<T>(work: () => Promise<T>, who: Passing): Promise<T>
}

export interface Passing {
  /** For whom; all that is for nobody in particular counts as one. */
  readonly askedFor?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Quick is whose last work took no longer: others may wait for it. */
const quickMs = 10_000
/** What is known of one who had nothing to do for so long is forgotten. */
const knownMs = 60_000
/** Of all places: what is kept free for others who may come. */
const shareKept = 1 / 8

interface Party {
  underWay: number
  readonly line: (() => void)[]
  readonly since: number
  isQuick: boolean
  lastDoneAt: number
}

export function gate(maxConcurrent: number): Gate {
  if (!Number.isInteger(maxConcurrent) || maxConcurrent < 1)
    throw new Error('maxConcurrent is a whole number from 1 on')
  /** From the one that was let in the longest ago to the one that was last. */
  const parties = new Map<string, Party>()
  let running = 0

  function partyOf(name: string): Party {
    const known = parties.get(name)
    if (known) return known
    const now = performance.now()
    const party = { underWay: 0, line: [], since: now, isQuick: false, lastDoneAt: now }
    parties.set(name, party)
    return party
  }

  function enter({ askedFor = '', signal }: Passing): Promise<void> {
    return new Promise((resolve, reject) => {
      const { line } = partyOf(askedFor)
      const leave = () => {
        line.splice(line.indexOf(proceed), 1)
        reject(signal?.reason)
      }
      const proceed = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      line.push(proceed)
      giveOut()
    })
  }

  function giveOut(): void {
    forgetWhoIsGone()
    for (let next = nextParty(); next !== null; next = nextParty()) {
      const [name, party] = next
      running += 1
      party.underWay += 1
      parties.delete(name)
      parties.set(name, party)
      party.line.shift()?.()
    }
  }

  function nextParty(): [string, Party] | null {
    const free = maxConcurrent - running
    let found: [string, Party] | null = null
    for (const [name, party] of parties) {
      const mayEnter = free > (party.isQuick ? 0 : Math.min(party.underWay, mostKept(party)))
      if (party.line.length === 0 || !mayEnter) continue
      if (found === null || party.underWay < found[1].underWay) found = [name, party]
    }
    return found
  }

  /** So many places stay free for others, at most. */
  function mostKept({ since }: Party): number {
    const isAlone = parties.size === 1 && performance.now() - since > knownMs
    return isAlone ? Math.ceil(maxConcurrent * shareKept) : maxConcurrent
  }

  function forgetWhoIsGone(): void {
    const since = performance.now() - knownMs
    for (const [name, { underWay, line, lastDoneAt }] of parties) {
      if (underWay === 0 && line.length === 0 && lastDoneAt < since) parties.delete(name)
    }
  }

  return {
    async pass(work, who) {
      who.signal?.throwIfAborted()
      await enter(who)
      const party = partyOf(who.askedFor ?? '')
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        running -= 1
        party.underWay -= 1
        party.lastDoneAt = performance.now()
        party.isQuick = party.lastDoneAt - startedAt <= quickMs
        giveOut()
      }
    },
  }
}
