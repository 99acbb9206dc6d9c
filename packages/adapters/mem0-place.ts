/**
 * The space behind mem0's classes: given, of a server, or of a folder. A folder is opened with the first call, and
 * closed after a pause, because programs of mem0 close nothing, and an open memory keeps its process alive.
 */
import { connect } from '@loomlog/client'
import type { Memory, MemorySpace } from '@loomlog/client/memory'

export interface PlaceOptions {
  readonly space?: MemorySpace | undefined
  /** Its space is named after the collection. */
  readonly memory?: Memory | undefined
  /** The address of a server, and the key for it. Default: `LOOMLOG_URL`, `LOOMLOG_KEY`. */
  readonly url?: string | undefined
  readonly key?: string | undefined
  /** The folder of a memory in this process. Default: `LOOMLOG_DIR`. */
  readonly dir?: string | undefined
}

export const placeFields: readonly string[] = ['space', 'memory', 'url', 'key', 'dir'] satisfies (keyof PlaceOptions)[]

/** Runs work on the space. */
export type SpaceAccess = <T>(work: (space: MemorySpace) => Promise<T>) => Promise<T>

export const defaultSpace = 'mem0'
/** Longest pause between calls before a folder is closed. */
const pauseMs = 1_000

/** @param name the name of the space, unless one is given */
export function placeOf({ space, memory, url, key, dir }: PlaceOptions, name: string): SpaceAccess {
  if (space !== undefined) return (work) => work(space)
  if (memory !== undefined) return (work) => work(memory.space(name))
  const env = process.env
  if (dir !== undefined && url === undefined) return folder(dir, name)
  const address = url ?? env['LOOMLOG_URL']
  if (address !== undefined) {
    const server = connect({ url: address, key: key ?? env['LOOMLOG_KEY'] }).space(name)
    return (work) => work(server)
  }
  const home = env['LOOMLOG_DIR']
  if (home !== undefined) return folder(home, name)
  throw new Error('No place for the memory: set LOOMLOG_URL or LOOMLOG_DIR, or pass { url }, { dir } or { space }')
}

function folder(dir: string, name: string): SpaceAccess {
  let opening: Promise<Memory> | null = null
  let closing: Promise<void> = Promise.resolve()
  let calls = 0

  async function open(): Promise<Memory> {
    await closing
    const { openMemory } = await import('loomlog')
    return openMemory({ dir })
  }
  function close(memory: Memory): void {
    if (calls > 0) return
    opening = null
    closing = memory.close()
  }
  let timer: NodeJS.Timeout | undefined
  return async (work) => {
    clearTimeout(timer)
    calls += 1
    try {
      opening ??= open().catch((error) => {
        opening = null
        throw error
      })
      return await work((await opening).space(name))
    } finally {
      calls -= 1
      const opened = await opening?.catch(() => null)
      if (calls === 0 && opened) {
        clearTimeout(timer)
        timer = setTimeout(() => close(opened), pauseMs)
      }
    }
  }
}
