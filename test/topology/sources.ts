/**
 * The repository's source files for the topology tests: paths from the root, text and imports. Imports are read from
 * the text as the formatter writes it. Type imports count too, because they couple folders.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The folders of processors: services/topic-loom. */
export const stageFolders = globSync('{services,examples}/*/processor.ts', { cwd: root })
  .map((path) => posix.dirname(path))
  .sort()

/** The stages that come with loomlog. */
export const stages = stageFolders
  .filter((folder) => folder.startsWith('services/'))
  .map((folder) => posix.basename(folder))

const isGenerated = (path: string) =>
  /^(schemas\/(generated|samples)\/|packages\/inspector\/bundle|packages\/client\/api\.ts$)/.test(path)

export const sources = globSync('{schemas,topics,packages,services,deploy,examples,test}/**/*.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules') || path === 'schemas/generated',
})
  .filter((path) => !isGenerated(path))
  .sort()

/** Everything that people write here: sources, documents, schemas, settings. */
export const repositoryFiles: readonly string[] = globSync(
  '{*.md,python/*.md,docker-compose.yml,{schemas,topics,packages,services,deploy,docs,examples,test}/**}',
  {
    cwd: root,
    withFileTypes: true,
    exclude: (each) => each.name === 'node_modules' || each.name.startsWith('.'),
  },
)
  .filter((each) => each.isFile())
  .map((each) => posix.join(each.parentPath, each.name).slice(root.length))
  .filter((path) => !isGenerated(path))

export function textOf(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8')
}

/** Also tests that a plain run leaves out, such as log.kafka-test.ts. */
export const isTest = (path: string) => /[.-]test\.ts$/.test(path)

/** packages/log for packages/log/kafka/lease.ts; schemas for schemas/ids.ts. */
export function folderOf(path: string): string {
  const parts = path.split('/')
  return /^(packages|services|examples)$/.test(parts[0] ?? '') ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
}

export interface Import {
  /** The specifier in the source: ./state.ts, @loomlog/log/port, node:fs, openai/resources. */
  readonly specifier: string
  /** The imported file, from the root; null if it is outside of the repository. */
  readonly path: string | null
  /** The package outside of the repository (node:fs, openai, @lancedb/lancedb); null if the import is inside. */
  readonly external: string | null
}

const bindings = String.raw`(?:type\s+)?(?:[\w$]+|(?:[\w$]+\s*,\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?))`
const statement = new RegExp(String.raw`^(?:import|export)\s+(?:${bindings}\s+from\s+)?'([^']+)'`, 'gm')
const call = /\b(?:import|require|import\.meta\.resolve)\(\s*'([^']+)'/g
/** Workers and child programs are referenced by URL. */
const url = /new URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url/g

export function specifiersIn(text: string): readonly string[] {
  const code = withoutComments(text)
  return [statement, call, url].flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ''))
}

export function importsOf(path: string): readonly Import[] {
  return specifiersIn(textOf(path)).map((specifier) => resolve(path, specifier))
}

/** The code without comments, so that no pattern for code matches prose. */
export function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '')
}

interface Workspace {
  readonly name: string
  readonly folder: string
  readonly exports: { readonly [subpath: string]: string }
  readonly dependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
}

const noEntries = { exports: {}, dependencies: {}, devDependencies: {} }

export const workspaces: readonly Workspace[] = globSync(
  '{schemas,topics,test,packages/*,services/*,deploy/*,examples/*}/package.json',
  { cwd: root },
).map((path) => ({ ...noEntries, ...JSON.parse(textOf(path)), folder: posix.dirname(path) }) as Workspace)

function resolve(from: string, specifier: string): Import {
  if (specifier.startsWith('.')) {
    return { specifier, path: posix.join(posix.dirname(from), specifier), external: null }
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  const workspace = workspaces.find((each) => each.name === name)
  if (!workspace) return { specifier, path: null, external: name }
  const target = workspace.exports[`.${specifier.slice(name.length)}`]
  if (target === undefined) throw new Error(`${from} imports ${specifier}, which ${workspace.folder} does not export`)
  return { specifier, path: posix.join(workspace.folder, target), external: null }
}

/** These files and all that they import, directly or not. */
export function importClosure(paths: readonly string[]): ReadonlySet<string> {
  const reached = new Set(paths)
  for (const path of reached) {
    if (!existsSync(`${root}${path}`) || !path.endsWith('.ts')) continue
    for (const each of importsOf(path)) if (each.path !== null) reached.add(each.path)
  }
  return reached
}
