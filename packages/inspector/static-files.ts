/**
 * The files of the inspector's bundle, read once and kept. The published package has the bundle. In the sources it is
 * built at the first request, and again after a change of its sources.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface StaticFile {
  /** The content type. */
  readonly type: string
  readonly content: Buffer
}

export interface StaticFiles {
  page(): Promise<StaticFile>
  /** Null: there is none of this name. */
  asset(name: string): Promise<StaticFile | null>
}

const bundle = fileURLToPath(new URL('./bundle/', import.meta.url))
const assets = fileURLToPath(new URL('./bundle/assets/', import.meta.url))
const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

interface LoadedBundle {
  readonly page: StaticFile
  readonly assets: ReadonlyMap<string, StaticFile>
}

/** @param onNews gets a line for people before the bundle is built, which takes seconds */
export function inspectorFiles(onNews: (line: string) => void): StaticFiles {
  let loading: Promise<LoadedBundle> | null = null
  const loaded = () => {
    loading ??= load(onNews).catch((error) => {
      loading = null
      throw error
    })
    return loading
  }
  return {
    page: async () => (await loaded()).page,
    asset: async (name) => (await loaded()).assets.get(name) ?? null,
  }
}

async function load(onNews: (line: string) => void): Promise<LoadedBundle> {
  const builder = join(import.meta.dirname, 'build', 'main.ts')
  if (existsSync(builder) && !(await isCurrent())) {
    onNews('the inspector is built from its sources, once: this takes some seconds')
    await promisify(execFile)(process.execPath, [builder])
  }
  const names = await readdir(assets)
  const entries = names.map(async (name) => [name, await fileAt(join(assets, name))] as const)
  return { page: await fileAt(join(bundle, 'index.html')), assets: new Map(await Promise.all(entries)) }
}

async function fileAt(path: string): Promise<StaticFile> {
  return { type: types[extname(path)] ?? 'application/octet-stream', content: await readFile(path) }
}

/** Whether the bundle is newer than each of its sources. */
async function isCurrent(): Promise<boolean> {
  const built = await modifiedAt(join(bundle, 'index.html'))
  if (built === null) return false
  const page = join(import.meta.dirname, 'page')
  const sources = await readdir(page, { recursive: true })
  const times = await Promise.all(sources.map((name) => modifiedAt(join(page, name))))
  return times.every((time) => time !== null && time <= built)
}

/** In ms since the epoch; null: there is no such file. */
async function modifiedAt(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  )
}
