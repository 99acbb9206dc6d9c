/** The kinds of damage that the scenario tries: each is a change of a file or a folder. */
import { copyFile, cp, mkdir, open, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { invertVectors } from '../../packages/views/lancedb/invert-vectors.ts'

export interface Folders {
  /** The folder to damage. */
  readonly dir: string
  /** The same folder at an earlier time. */
  readonly earlier: string
  readonly random: () => number
}

export interface Damage {
  /** `a flipped byte in log.db` */
  readonly name: string
  /** The partition whose shard is damaged; null: the damage concerns all partitions. */
  readonly partition: number | null
  apply(folders: Folders): Promise<void>
}

/** Damages shards of this partition only. */
const damagedPartition = 0

type FileChange = (path: string, folders: Folders) => Promise<void>

const fileChanges: { readonly [name: string]: FileChange } = {
  'a flipped byte in': async (path, { random }) => {
    const { size } = await stat(path)
    const at = Math.floor(random() * size)
    const file = await open(path, 'r+')
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at)
    byte.writeUInt8(byte.readUInt8(0) ^ 0xff)
    await file.write(byte, 0, 1, at)
    await file.close()
  },
  'half of': async (path) => truncate(path, Math.floor((await stat(path)).size / 2)),
  'no byte in': (path) => truncate(path, 0),
  'garbage in': async (path) => writeFile(path, Buffer.alloc((await stat(path)).size, 'garbage ')),
  'no file': (path) => rm(path),
  'a folder in the place of': async (path) => {
    await rm(path)
    await mkdir(path)
  },
}

const earlierCopy: FileChange = async (path, { dir, earlier }) =>
  copyFile(join(earlier, path.slice(dir.length + 1)), path)

/** Patterns of the files in a view. The newest match is damaged. */
const viewFiles = {
  'data file': /data\/.*\.lance$/,
  manifest: /_versions\/.*\.manifest$/,
  'index file': /_indices\/.*\.(lance|idx)$/,
} as const

const databases = ['log.db', 'completions-index.db', 'vectors.db', 'utterances-index.db']

export const damages: readonly Damage[] = [
  ...databases.flatMap((file) =>
    [...Object.entries(fileChanges), ['an earlier copy of', earlierCopy] as const].map(
      ([change, apply]): Damage => ({
        name: `${change} ${file}`,
        partition: null,
        apply: (folders) => apply(join(folders.dir, file), folders),
      }),
    ),
  ),
  ...['utterances', 'facts'].flatMap((table) => [
    ...Object.entries(viewFiles).flatMap(([kind, pattern]) =>
      Object.entries(fileChanges).map(
        ([change, apply]): Damage => ({
          name: `${change} a ${kind} of the view of ${table}`,
          partition: damagedPartition,
          apply: async (folders) => apply(await newest(await tableFolder(folders.dir, table), pattern), folders),
        }),
      ),
    ),
    {
      name: `inverted vectors in the view of ${table}`,
      partition: damagedPartition,
      apply: async ({ dir }: Folders) => {
        if ((await invertVectors(await tableFolder(dir, table), table)) === 0)
          throw new Error(`${table} has no vectors`)
      },
    },
    {
      name: `no shard of the view of ${table}`,
      partition: damagedPartition,
      apply: async ({ dir }: Folders) => rm(dirname(await tableFolder(dir, table)), { recursive: true }),
    },
    {
      name: `an earlier copy of the view of ${table}`,
      partition: damagedPartition,
      apply: async ({ dir, earlier }: Folders) => {
        const folder = await tableFolder(dir, table)
        await rm(folder, { recursive: true })
        await cp(await tableFolder(earlier, table), folder, { recursive: true })
      },
    },
  ]),
  {
    name: 'two shards in each other’s place',
    partition: damagedPartition,
    apply: async ({ dir }) => {
      const [one, other] = [await tableFolder(dir, 'utterances'), await tableFolder(dir, 'facts')].map(dirname)
      await rename(one ?? '', `${one}-moved`)
      await rename(other ?? '', one ?? '')
      await rename(`${one}-moved`, other ?? '')
    },
  },
  { name: 'no views', partition: null, apply: ({ dir }) => rm(join(dir, 'views'), { recursive: true }) },
  {
    name: 'views of an earlier time',
    partition: null,
    apply: ({ dir, earlier }) => replaceFolder(join(earlier, 'views'), join(dir, 'views')),
  },
]

/**
 * Damage that loomlog can't detect: a valid commit deletes rows, and the watermark stays. The scenario must find the
 * missing rows itself; otherwise it would report any damage as harmless.
 */
export const undetectableDamage: Damage = {
  name: 'facts deleted from the view by a valid commit',
  partition: damagedPartition,
  apply: async ({ dir }) => {
    const connection = await connect(dirname(await tableFolder(dir, 'facts')))
    const table = await connection.openTable('facts')
    await table.delete("space != ''")
    connection.close()
  },
}

async function replaceFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true })
  await cp(from, to, { recursive: true })
}

/** `views/<view>/p<n>/<table>.lance` */
async function tableFolder(dir: string, table: string): Promise<string> {
  const views = join(dir, 'views')
  const names = await readdir(views, { recursive: true })
  const name = names.find((each) => each.endsWith(`p${damagedPartition}/${table}.lance`))
  if (name === undefined) throw new Error(`there is no table ${table} in ${views}`)
  return join(views, name)
}

async function newest(folder: string, pattern: RegExp): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => pattern.test(name))
  const files = await Promise.all(names.map(async (name) => ({ name, ...(await stat(join(folder, name))) })))
  const [last] = files.sort((a, b) => b.mtimeMs - a.mtimeMs)
  if (last === undefined) throw new Error(`there is no ${pattern} in ${folder}`)
  return join(folder, last.name)
}
