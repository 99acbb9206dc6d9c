/**
 * The bytes of an import, which are read several times: a file, up to its size at the start; or standard input, which
 * is copied to a private temporary file first. The file is open throughout, so that another one under its name is never
 * read. Names the errors of the system after the file.
 */
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { LoomlogError } from '@loomlog/errors'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import type { Layout } from '../formats/format.ts'
import { isList, type RawValue, splitterOf } from './values.ts'

/** Bytes of a read. */
const chunkBytes = 1_048_576
/** Bytes that show whether a larger file is the same with more at its end. */
const comparedBytes = 4_096

export interface ImportSource extends AsyncDisposable {
  /** For messages: on one line. */
  readonly name: string
  /** Without folder and extension; null: standard input. */
  readonly fileName: string | null
  /** Time of its last change; null: standard input. */
  readonly fileTime: Date | null
  readonly bytes: number
  values(layout: Layout): AsyncGenerator<RawValue>
  /** Whether it is a list; null: it has nothing but white space. */
  isList(): Promise<boolean | null>
}

/** A pipe is copied like standard input. @throws LoomlogError `input-invalid` */
export async function openFileSource(file: string, signal: AbortSignal): Promise<ImportSource> {
  if (!(await isPlainFile(file))) return openInputSource(createReadStream(file), signal, file)
  const fileName = basename(file, extname(file))
  return sourceOf(await open(file), { name: file, fileName, isCopy: false, remove: async () => {} })
}

/** @param signal stops the copy, which rejects with its reason */
export async function openInputSource(
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
  name = 'standard input',
): Promise<ImportSource> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-ingest-'))
  const remove = () => rm(dir, { recursive: true, force: true })
  try {
    const file = join(dir, 'input')
    await pipeline(input, createWriteStream(file, { mode: 0o600 }), { signal })
    return await sourceOf(await open(file), { name, fileName: null, isCopy: true, remove })
  } catch (error) {
    await remove()
    throw error
  }
}

interface SourceFile {
  readonly name: string
  readonly fileName: string | null
  /** Its time is then that of the copy, and says nothing. */
  readonly isCopy: boolean
  remove(): Promise<void>
}

async function sourceOf(file: FileHandle, { fileName, isCopy, remove, ...named }: SourceFile): Promise<ImportSource> {
  const name = escapeUnseen(named.name)
  const { mtime, size } = await file.stat()
  const end = await bytesBefore(file, size)
  const changed = () =>
    new LoomlogError('input-invalid', `${name} has changed since it was read first: run the command again`)
  async function* chunks(): AsyncGenerator<Buffer> {
    const now = await file.stat()
    // A program may write further lines meanwhile: they are left to the next run.
    const isGrown = now.size > size && (await bytesBefore(file, size)).equals(end)
    const isSame = now.size === size && now.mtime.getTime() === mtime.getTime()
    if (!isGrown && !isSame) throw changed()
    for (let position = 0; position < size; ) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size - position))
      const { bytesRead } = await file.read({ buffer, position })
      if (bytesRead === 0) throw changed()
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }
  return {
    name,
    fileName,
    fileTime: isCopy ? null : mtime,
    bytes: size,
    async *values(layout) {
      const splitter = splitterOf(layout, name)
      for await (const chunk of chunks()) yield* splitter.push(chunk)
      yield* splitter.end()
    },
    async isList() {
      for await (const chunk of chunks()) {
        const found = isList(chunk)
        if (found !== null) return found
      }
      return null
    },
    async [Symbol.asyncDispose]() {
      await file.close()
      await remove()
    },
  }
}

/** The last bytes of the file as it was: a grown file has them still, and another text in its place has not. */
async function bytesBefore(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(comparedBytes, size))
  await file.read({ buffer, position: size - buffer.length })
  return buffer
}

const unreadable: { readonly [code: string]: string } = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

async function isPlainFile(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK)
    const found = await stat(file)
    if (found.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return found.isFile()
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    throw new LoomlogError(
      'input-invalid',
      `${escapeUnseen(file)} can't be read: ${unreadable[code] ?? escapeUnseen(message)}`,
      { cause },
    )
  }
}
