/** Findings on the folder of the log: whether it can be written, and the space left on its disk. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { shellWord } from '@loomlog/host/shell-word'
import { type Finding, ok, problem, warning } from './check-result.ts'

/** Below this, a warning; the log refuses appends when the disk is full. */
const leastFreeBytes = 1_000_000_000

export function folderFindings(dir: string): readonly Finding[] {
  if (!existsSync(dir)) return [ok('folder', `${dir} does not exist yet: loomlog init, ingest or up creates it`)]
  if (!statSync(dir).isDirectory()) return [problem('folder', `${dir} is no folder`, 'set LOOMLOG_DIR, or give --dir')]
  return [writing(dir), freeSpace(dir)]
}

function writing(dir: string): Finding {
  try {
    accessSync(dir, constants.W_OK)
    return ok('folder', `${dir} can be written`)
  } catch {
    return problem(
      'folder',
      `${dir} can't be written by this user: only reading works`,
      `chown -R "$USER" ${shellWord(dir)}`,
    )
  }
}

function freeSpace(dir: string): Finding {
  const { bavail, bsize } = statfsSync(dir)
  const free = bavail * bsize
  const text = `${(free / 1_000_000_000).toFixed(1)} GB are free on the disk of ${dir}`
  return free < leastFreeBytes ? warning('disk', text, 'free some space, or move the folder') : ok('disk', text)
}
