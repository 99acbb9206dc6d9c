/**
 * Texts and paths of the memory tool: the replies and errors that its model knows from a folder on a disk. Pure.
 */

const root = '/memories'
/** Width of the line numbers of a view. */
const numberWidth = 6
/** Lines around an edit that its reply shows. */
const linesAround = 2
/** Directories of a listing below the viewed one. */
const maxDepth = 2
const units = ['B', 'K', 'M', 'G'] as const

export interface MemoryFile {
  readonly path: string
  readonly content: string
}

/** An absolute path below `/memories` without empty parts. @throws Error for any other path */
export function checkedPath(path: unknown): string {
  if (typeof path !== 'string' || (path !== root && !path.startsWith(`${root}/`)))
    throw new Error(`Path must start with ${root}, got: ${path}`)
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(path))
    throw new Error(`Path ${JSON.stringify(path)} has a control character: expected visible characters`)
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw new Error(`Path ${path} would escape ${root} directory`)
  return `/${parts.join('/')}`
}

export function isRoot(path: string): boolean {
  return path === root
}

export function isWithin(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`)
}

/** The files below a directory, with the directories between. */
export function listing(path: string, files: readonly MemoryFile[]): string {
  const sizes = new Map<string, number>()
  const below = files.filter((file) => isWithin(path, file.path))
  let total = 0
  for (const { path: full, content } of below) {
    const size = Buffer.byteLength(content)
    total += size
    const parts = full.slice(path.length + 1).split('/')
    if (parts.some((part) => part.startsWith('.') || part === 'node_modules')) continue
    for (const depth of parts.keys()) {
      if (depth >= maxDepth) break
      const name = `${path}/${parts.slice(0, depth + 1).join('/')}${depth + 1 < parts.length ? '/' : ''}`
      sizes.set(name, (sizes.get(name) ?? 0) + size)
    }
  }
  const lines = [...sizes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, size]) => `${sizeOf(size)}\t${name}`)
  const header = `Here're the files and directories up to ${maxDepth} levels deep in ${path}, excluding hidden items and node_modules:`
  return [header, `${sizeOf(total)}\t${path}`, ...lines].join('\n')
}

function sizeOf(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const size = bytes / 1024 ** power
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${units[power]}`
}

/** @param range the first and the last line, from 1; -1: the end */
export function numbered({ path, content }: MemoryFile, range: readonly number[] | undefined): string {
  const lines = content.split('\n')
  const [from = 1, to = -1] = range ?? []
  const first = Math.max(1, from)
  const last = to === -1 ? lines.length : Math.min(to, lines.length)
  if (range !== undefined && (range.length !== 2 || first > last))
    throw new Error(
      `Invalid \`view_range\` parameter: [${range.join(', ')}]. It should be two lines of the file, within [1, ${lines.length}]`,
    )
  return `Here's the content of ${path} with line numbers:\n${numberedLines(lines, first, last)}`
}

function numberedLines(lines: readonly string[], first: number, last: number): string {
  return lines
    .slice(first - 1, last)
    .map((line, at) => `${String(first + at).padStart(numberWidth)}\t${line}`)
    .join('\n')
}

export function snippet(content: string, line: number): string {
  const lines = content.split('\n')
  const shown = numberedLines(lines, Math.max(1, line - linesAround), Math.min(lines.length, line + linesAround))
  return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${shown}`
}

export interface Replacement {
  readonly content: string
  /** The first line of the replaced text, from 1. */
  readonly line: number
}

/** @throws Error unless the old text occurs once */
export function replaced({ path, content }: MemoryFile, old: string, by: string): Replacement {
  const lines = linesOf(content, old)
  const [line] = lines
  if (line === undefined)
    throw new Error(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`)
  if (lines.length > 1)
    throw new Error(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${[...new Set(lines)].join(', ')}. Please ensure it is unique`,
    )
  return { content: content.replace(old, () => by), line }
}

/** The line of each occurrence; overlapping ones count. */
function linesOf(content: string, text: string): readonly number[] {
  const lines: number[] = []
  if (text === '') return lines
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + 1))
    lines.push(content.slice(0, at).split('\n').length)
  return lines
}

/** @throws Error for a line that the file doesn't have */
export function inserted({ content }: MemoryFile, line: number, text: string): string {
  const lines = content.split('\n')
  if (!Number.isInteger(line) || line < 0 || line > lines.length)
    throw new Error(
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    )
  return lines.toSpliced(line, 0, text.replace(/\n$/, '')).join('\n')
}
