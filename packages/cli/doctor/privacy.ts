/**
 * Findings on files that other users of this machine can read: the log's folder with all that lies in it, such as the
 * log, the webhook key and former logs, and an `.env` with a key. Windows has no such modes: there every file reads as
 * open to others, and none is reported.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { shellWord } from '@loomlog/host/shell-word'
import { type Finding, ok, warning } from './check-result.ts'

const others = 0o077
const secrets = [
  'LOOMLOG_API_KEY',
  'LOOMLOG_KEY',
  'LOOMLOG_WEBHOOK_KEY',
  'LOOMLOG_KAFKA_PASSWORD',
  'LOOMLOG_REGISTRY_PASSWORD',
  'AWS_SECRET_ACCESS_KEY',
]
/** Files that a finding names. */
const maxNamed = 3

/** @param workingDir the folder of `.env` */
export function privacyFindings(dir: string, workingDir: string): readonly Finding[] {
  if (process.platform === 'win32') return []
  return [...folderPrivacy(dir), ...environmentFile(join(workingDir, '.env'))]
}

function folderPrivacy(dir: string): readonly Finding[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return []
  const files = isOpen(dir) ? readdirSync(dir).filter((name) => isOpen(join(dir, name))) : []
  if (!isOpen(dir)) return [ok('privacy', `${dir} is open to its owner only`)]
  const named = files.length > maxNamed ? [...files.slice(0, maxNamed), `${files.length - maxNamed} more`] : files
  const withFiles = files.length === 0 ? '' : `, with ${named.join(', ')}`
  return [warning('privacy', `${dir} is open to other users${withFiles}`, `chmod -R go= ${shellWord(dir)}`)]
}

function environmentFile(file: string): readonly Finding[] {
  if (!existsSync(file) || !isOpen(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  const named = secrets.filter((name) =>
    lines.some((line) => line.replace('export ', '').trim().startsWith(`${name}=`)),
  )
  if (named.length === 0) return []
  return [warning('privacy', `${file} with ${named.join(', ')} is open to other users`, `chmod go= ${shellWord(file)}`)]
}

/** A file that is gone meanwhile is open to none. */
function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & others) !== 0
}
