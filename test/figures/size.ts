/**
 * The size of the product by folder, at one commit or at several, side by side: `npm run size -- v0.1.0 HEAD`. Counts
 * the lines and kilobytes of TypeScript sources without tests; the folder `test` is counted whole. `--json FILE` also
 * writes the counts.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

interface Size {
  readonly lines: number
  readonly bytes: number
}

const { values, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true })
const commits = positionals.length === 0 ? ['HEAD'] : positionals

function git(...args: readonly string[]): readonly string[] {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 30 })
    .trim()
    .split('\n')
}

function sizesAt(commit: string): ReadonlyMap<string, Size> {
  const lines = new Map(
    git('grep', '-c', '', commit, '--', '*.ts').map((row) => {
      const [, path = '', count = ''] = /^[^:]+:(.+):(\d+)$/.exec(row) ?? []
      return [path, Number(count)]
    }),
  )
  const sizes = new Map<string, Size>()
  for (const row of git('ls-tree', '-r', '-l', commit)) {
    const [, size = '', path = ''] = /(\d+)\t(.+)$/.exec(row) ?? []
    if (!isCounted(path)) continue
    const before = sizes.get(folderOf(path)) ?? { lines: 0, bytes: 0 }
    sizes.set(folderOf(path), { lines: before.lines + (lines.get(path) ?? 0), bytes: before.bytes + Number(size) })
  }
  return sizes
}

function isCounted(path: string): boolean {
  if (!path.endsWith('.ts')) return false
  return path.startsWith('test/') || !/\.(test|kafka-test|spec)\.ts$|(^|\/)fixture\.ts$/.test(path)
}

function folderOf(path: string): string {
  const [top = '', next = ''] = path.split('/')
  return ['packages', 'services'].includes(top) ? `${top}/${next}` : top
}

function total(sizes: ReadonlyMap<string, Size>): Size {
  const product = [...sizes].filter(([folder]) => folder !== 'test').map(([, size]) => size)
  return product.reduce((sum, { lines, bytes }) => ({ lines: sum.lines + lines, bytes: sum.bytes + bytes }))
}

const counted = commits.map(sizesAt)
const folders = [...new Set(counted.flatMap((sizes) => [...sizes.keys()]))].sort()
const rows = [
  ...folders.map((folder) => ({ folder, sizes: counted.map((sizes) => sizes.get(folder) ?? { lines: 0, bytes: 0 }) })),
  { folder: 'all but test', sizes: counted.map(total) },
]
const row = (first: string, cells: readonly string[]) =>
  console.log(first.padEnd(28) + cells.map((cell) => cell.padStart(18)).join(''))
row(
  'lines, KB',
  commits.map((commit) => commit.slice(0, 12)),
)
for (const { folder, sizes } of rows)
  row(
    folder,
    sizes.map(({ lines, bytes }) => `${lines}, ${Math.round(bytes / 1000)} KB`),
  )
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ commits, rows }, null, 2)}\n`)
