/** The table of all files in docs/figures/README.md. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Block, table } from '../blocks.ts'
import type { Origin } from '../result.ts'

const folder = join(import.meta.dirname, '../../../docs/figures')
const rows = globSync('*.json', { cwd: folder })
  .sort()
  .map((file) => {
    const figures = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Origin & { readonly stale?: string }
    const { command, day, commit, stale = '' } = figures
    return [basename(file, '.json'), `\`${command}\``, day, commit, stale]
  })

export const filesBlocks: readonly Block[] = [
  { file: 'docs/figures/README.md', name: 'files', lines: table(['file', 'command', 'day', 'commit', 'stale'], rows) },
]
