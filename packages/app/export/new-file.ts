/**
 * Writes a file or a folder whole: under a temporary name beside it, which gets the wanted name at the end. An export
 * that fails or is killed leaves nothing under that name, and an existing file stays until then.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Writable } from 'node:stream'
import { LoomlogError } from '@loomlog/errors'
import { formatValue, invalidInput } from '@loomlog/errors/invalid-input'

export interface Target {
  /** A path; `-` is standard output, for files only. */
  readonly to: string
  /** Whether an existing file, or the folder of an earlier export, is replaced. */
  readonly existing: 'refused' | 'replaced'
}

/** Marks a folder as an export, which `--force` may replace: any other folder is somebody's work. */
const marker = '.loomlog-export'

/** @throws LoomlogError `input-invalid` where the target exists, or can't be made */
export async function writeNewFile<T>(target: Target, write: (sink: Writable) => Promise<T>): Promise<T> {
  if (target.to === '-') return write(process.stdout)
  await checkFileTarget(target)
  const temporary = temporaryName(target.to)
  try {
    const sink = await openSink(temporary).catch((cause: Error) => Promise.reject(unwritable(target, cause)))
    const written = await write(sink)
    await closed(sink)
    await synced(temporary)
    await checkFileTarget(target)
    await rename(temporary, resolve(target.to))
    return written
  } finally {
    await rm(temporary, { force: true })
  }
}

/** @throws LoomlogError `input-invalid` where the target is anything but an empty folder, or an export to replace */
export async function writeNewFolder<T>(target: Target, write: (folder: string) => Promise<T>): Promise<T> {
  await checkFolderTarget(target)
  const temporary = temporaryName(target.to)
  try {
    await mkdir(temporary).catch((cause: Error) => Promise.reject(unwritable(target, cause)))
    const written = await write(temporary)
    await (await open(join(temporary, marker), 'wx')).close()
    await checkFolderTarget(target)
    await replaceFolder(resolve(target.to), temporary)
    return written
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Its later errors reach the writer: from a pipeline, or from `closed`. */
async function openSink(file: string): Promise<Writable> {
  const sink = createWriteStream(file, { flags: 'wx' })
  await once(sink, 'open')
  return sink.on('error', () => {})
}

function unwritable({ to }: Target, cause: Error): LoomlogError {
  return new LoomlogError('input-invalid', `--to is ${formatValue(to)}, which can't be made: ${cause.message}`, {
    cause,
  })
}

/** No system call replaces a folder that has files: it moves aside, and back if the new one can't take its place. */
async function replaceFolder(folder: string, by: string): Promise<void> {
  if ((await kindOf(folder)) === null) return rename(by, folder)
  const former = temporaryName(folder)
  await rename(folder, former)
  try {
    await rename(by, folder)
  } catch (error) {
    await rename(former, folder)
    throw error
  }
  await rm(former, { recursive: true })
}

async function checkFileTarget({ to, existing }: Target): Promise<void> {
  checkGiven(to)
  const kind = await kindOf(to)
  if (kind === 'other' || kind === 'folder' || to.endsWith(sep))
    throw new LoomlogError('input-invalid', `--to is ${to}, which is no file: expected a new file`)
  if (kind === 'file' && existing === 'refused')
    throw new LoomlogError('input-invalid', `--to is ${to}, which exists: --force replaces it`)
  await checkParent(to)
}

async function checkFolderTarget({ to, existing }: Target): Promise<void> {
  checkGiven(to)
  const kind = await kindOf(to)
  if (to === '-' || kind === 'file' || kind === 'other')
    throw new LoomlogError('input-invalid', `--to is ${to}, which is no folder: expected a new folder`)
  if (resolve(to) === process.cwd())
    throw new LoomlogError('input-invalid', `--to is ${to}, the working folder: expected a new folder`)
  const files = kind === null ? [] : await readdir(to)
  if (files.length > 0 && !files.includes(marker))
    throw new LoomlogError('input-invalid', `--to is ${to}, which holds files of others: expected a new folder`)
  if (files.length > 0 && existing === 'refused')
    throw new LoomlogError('input-invalid', `--to is ${to}, an earlier export: --force replaces it`)
  await checkParent(to)
}

/** An empty path would be the working folder. */
function checkGiven(to: string): void {
  if (to === '') throw invalidInput('--to', to, 'a path')
}

async function checkParent(to: string): Promise<void> {
  const folder = dirname(resolve(to))
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw new LoomlogError('input-invalid', `--to is ${to}: there is no folder ${folder}`)
}

/** A symbolic link is neither: the rename would replace it, and not its target. */
async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | null> {
  try {
    // Without a slash at its end, which would follow a link.
    const found = await lstat(resolve(path))
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

function temporaryName(to: string): string {
  const path = resolve(to)
  return join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`)
}

/** @throws its error, also one that came after the last write */
async function closed(sink: Writable): Promise<void> {
  if (!sink.closed) {
    sink.end()
    await once(sink, 'close')
  }
  if (sink.errored) throw sink.errored
}

/** The rename must not become durable before the bytes. */
async function synced(file: string): Promise<void> {
  const handle = await open(file)
  await handle.sync().finally(() => handle.close())
}
