/**
 * The bytes of an import, which are read several times: a file, up to its size at the start; or standard input, which
 * is copied to a private temporary file first. Names the errors of the system after the file.
 */
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { LoomlogError } from '@loomlog/errors'
import type { Layout } from '../formats/format.ts'
import { isList, type RawValue, splitterOf } from './values.ts'

/** Bytes of a read. */
const chunkBytes = 1_048_576

export interface ImportSource extends AsyncDisposable {
  /** For messages. */
  readonly name: string
  /** Without folder and extension; null: standard input. */
  readonly fileName: string | null
  /** Time of its last change; null: standard input. */
  readonly fileTime: Date | null
  readonly sizeBytes: number
  values(layout: Layout): AsyncGenerator<RawValue>
  /** Whether it is a list; null: it has nothing but white space. */
  isList(): Promise<boolean | null>
}

/** A pipe is copied like standard input. @throws LoomlogError `input-invalid` */
export async function openFileSource(file: string): Promise<ImportSource> {
  const { size, mtime, isFile } = await checkedFile(file)
  if (!isFile) return openInputSource(createReadStream(file), file)
  const fileName = basename(file, extname(file))
  return sourceOf(file, { name: file, fileName, fileTime: mtime, size, close: async () => {} })
}

export async function openInputSource(input: NodeJS.ReadableStream, name = 'standard input'): Promise<ImportSource> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-ingest-'))
  const close = () => rm(dir, { recursive: true, force: true })
  try {
    const file = join(dir, 'input')
    await pipeline(input, createWriteStream(file, { mode: 0o600 }))
    const { size } = await stat(file)
    return sourceOf(file, { name, fileName: null, fileTime: null, size, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface SourceFile {
  readonly name: string
  readonly fileName: string | null
  readonly fileTime: Date | null
  readonly size: number
  close(): Promise<void>
}

function sourceOf(file: string, { name, fileName, fileTime, size, close }: SourceFile): ImportSource {
  async function* chunks(): AsyncGenerator<Buffer> {
    // A file that grows meanwhile is read to the same end each time.
    if (size > 0) yield* createReadStream(file, { end: size - 1, highWaterMark: chunkBytes })
  }
  return {
    name,
    fileName,
    fileTime,
    sizeBytes: size,
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
    [Symbol.asyncDispose]: close,
  }
}

const unreadable: { readonly [code: string]: string } = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

async function checkedFile(file: string) {
  try {
    await access(file, constants.R_OK)
    const found = await stat(file)
    if (found.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return { size: found.size, mtime: found.mtime, isFile: found.isFile() }
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    throw new LoomlogError('input-invalid', `${file} can't be read: ${unreadable[code] ?? message}`, { cause })
  }
}
