/**
 * `npm run build` writes the published packages into folders of `dist`: each folder is one as `npm publish` takes it,
 * with its manifest, its types, the files that its modules read, and licences.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
rmSync(dist, { recursive: true, force: true })
const adapters = Object.keys(manifestIn('packages/adapters/package.json').exports ?? {}).map((path) => path.slice(2))
await Promise.all([
  bundleLoomlog(join(dist, 'loomlog')),
  bundleClient(join(dist, 'client')),
  bundleAdapters(adapters, join(dist, 'adapters')),
])
cpSync(join(root, 'packages/loomlog/loomlog.js'), join(dist, 'loomlog/loomlog.js'))
complete(join(dist, 'loomlog'), { workspace: 'packages/loomlog', bin: { loomlog: 'loomlog.js' } })
complete(join(dist, 'client'), { workspace: 'packages/client' })
complete(join(dist, 'adapters'), { workspace: 'packages/adapters', subpaths: adapters })
