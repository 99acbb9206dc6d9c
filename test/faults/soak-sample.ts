/**
 * Samples of a soak: the memory of a process by owner, as the system and as its own metrics show it, and its open
 * files.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { extname } from 'node:path'

export interface Sample {
  readonly atSeconds: number
  readonly rssMb: number
  /** Resident memory of malloc's main heap. */
  readonly mallocHeapMb: number
  /** Resident memory of programs and libraries. */
  readonly filesMb: number
  /** From the process's own metrics; null if it was too busy to reply. */
  readonly inside: Inside | null
  readonly openFiles: number
  /** Open files by kind: sockets, files by extension, and deleted files that are still open. */
  readonly kinds: { readonly [kind: string]: number }
}

export interface Inside {
  readonly heapMb: number
  /** With the free memory that V8 keeps. */
  readonly heapTotalMb: number
  /** Of the spaces that recall has searched. */
  readonly spaceCacheMb: number
  /** Of LanceDB's caches, for readers and writers. */
  readonly viewCacheMb: number
}

/** Scrapes its metrics from its gateway. */
export async function takeSample(pid: number, url: string, atSeconds: number): Promise<Sample> {
  const inside = await readInside(url)
  const kinds = openFilesOf(pid)
  const openFiles = Object.values(kinds).reduce((sum, count) => sum + count, 0)
  return { atSeconds, ...residentMb(pid), inside, openFiles, kinds }
}

async function readInside(url: string): Promise<Inside | null> {
  const text = await fetch(`${url}/metrics`)
    .then((response) => response.text())
    .catch(() => '')
  const mb = (name: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return line === undefined ? Number.NaN : megabytes(Number(line.slice(name.length)))
  }
  const inside = {
    heapMb: mb('nodejs_heap_size_used_bytes'),
    heapTotalMb: mb('nodejs_heap_size_total_bytes'),
    spaceCacheMb: mb('loomlog_space_cache_bytes'),
    viewCacheMb: mb('loomlog_view_cache_bytes{of="readers"}') + mb('loomlog_view_cache_bytes{of="writers"}'),
  }
  return Object.values(inside).some(Number.isNaN) ? null : inside
}

function residentMb(pid: number): Pick<Sample, 'rssMb' | 'mallocHeapMb' | 'filesMb'> {
  const bytes = { heap: 0, files: 0, other: 0 }
  let owner: keyof typeof bytes = 'other'
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ (?:\S+ ){4}\s*(.*)$/.exec(line)
    if (mapping) owner = ownerOf(mapping[1] ?? '')
    bytes[owner] += 1_024 * Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0)
  }
  const { heap, files, other } = bytes
  return { rssMb: megabytes(heap + files + other), mallocHeapMb: megabytes(heap), filesMb: megabytes(files) }
}

function ownerOf(mapping: string): 'heap' | 'files' | 'other' {
  if (mapping === '[heap]') return 'heap'
  return mapping.startsWith('/') ? 'files' : 'other'
}

function openFilesOf(pid: number): Sample['kinds'] {
  const kinds: { [kind: string]: number } = {}
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    const kind = kindOf(`/proc/${pid}/fd/${descriptor}`)
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  return kinds
}

function kindOf(descriptor: string): string {
  try {
    const target = readlinkSync(descriptor)
    if (target.endsWith(' (deleted)')) return 'deleted'
    return target.startsWith('/') ? extname(target) || 'other' : target.replace(/[:[].*/, '')
  } catch {
    // The file was closed meanwhile.
    return 'closed'
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000)
}
