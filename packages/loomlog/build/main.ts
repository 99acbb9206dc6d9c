/**
 * `npm run build` writes the published packages into folders of `dist`: each folder is one as `npm publish` takes it,
 * with its manifest, its types, the files that its modules read, and licences. Names of folders select some.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildInspector } from '@loomlog/inspector/build-inspector'
import { assetPaths, copyAssets } from './assets.ts'
import { builtModules, importedPackages } from './built-modules.ts'
import { bundleAdapters, bundleClient, bundleLoomlog, root } from './bundles.ts'
import { peersOf, publishedManifest, requirementsOf, type WorkspaceManifest } from './manifest.ts'

const workspaces = globSync('{schemas,topics,{packages,services}/*}/package.json', { cwd: root }).map(manifestIn)

function manifestIn(path: string): WorkspaceManifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

interface PublishedFolder {
  readonly workspace: string
  readonly bin?: { readonly [command: string]: string }
  /** Default: one entry, `index`. */
  readonly subpaths?: readonly string[]
}

/** Completes a folder that has its modules. */
function complete(folder: string, { workspace, bin = {}, subpaths = [] }: PublishedFolder): void {
  const modules = builtModules(folder)
  copyAssets(assetPaths(modules), root, folder)
  const imported = importedPackages(modules)
  const named = peersOf(workspaces).filter((peer) => modules.some(({ text }) => text.includes(`"${peer}"`)))
  const manifest = manifestIn(`${workspace}/package.json`)
  const published = {
    workspace: manifest,
    requirements: requirementsOf({ imported, named, peers: manifest.peerDependencies }, workspaces),
    bin,
    subpaths,
    repository: process.env['GITHUB_REPOSITORY'] ?? null,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(published), null, 2)}\n`)
  for (const file of ['LICENSE', 'NOTICE']) cpSync(join(root, file), join(folder, file))
  cpSync(join(root, workspace, 'README.md'), join(folder, 'README.md'))
}

const dist = join(root, 'dist')
const adapters = Object.keys(manifestIn('packages/adapters/package.json').exports ?? {}).map((path) => path.slice(2))

/** By the name of the folder in `dist`. */
const published: { readonly [name: string]: (folder: string) => Promise<void> } = {
  async loomlog(folder) {
    await buildInspector()
    await bundleLoomlog(folder)
    cpSync(join(root, 'packages/loomlog/loomlog.js'), join(folder, 'loomlog.js'))
    complete(folder, { workspace: 'packages/loomlog', bin: { loomlog: 'loomlog.js' } })
  },
  async client(folder) {
    await bundleClient(folder)
    complete(folder, { workspace: 'packages/client' })
  },
  async adapters(folder) {
    await bundleAdapters(adapters, folder)
    complete(folder, { workspace: 'packages/adapters', subpaths: adapters })
  },
}

async function write(name: string): Promise<void> {
  const folder = join(dist, name)
  rmSync(folder, { recursive: true, force: true })
  await published[name]?.(folder)
}

const names = process.argv.slice(2)
await Promise.all((names.length === 0 ? Object.keys(published) : names).map(write))
