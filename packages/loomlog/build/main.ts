/**
 * `npm run build` writes the published packages into `dist/loomlog` and `dist/client`: each folder is one as `npm
 * publish` takes it, with its manifest, its types, the files that its modules read, and licences.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildInspector } from '@loomlog/inspector/build-inspector'
import { assetPaths, copyAssets } from './assets.ts'
import { builtModules, importedPackages } from './built-modules.ts'
import { bundleClient, bundleLoomlog, root } from './bundles.ts'
import { peersOf, publishedManifest, requirementsOf, type WorkspaceManifest } from './manifest.ts'

const workspaces = globSync('{schemas,topics,{packages,services}/*}/package.json', { cwd: root }).map(manifestIn)

function manifestIn(path: string): WorkspaceManifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

/** Completes a folder that has its modules. */
function complete(folder: string, workspace: string, bin: { readonly [command: string]: string }): void {
  const modules = builtModules(folder)
  copyAssets(assetPaths(modules), root, folder)
  const imported = importedPackages(modules)
  const named = peersOf(workspaces).filter((peer) => modules.some(({ text }) => text.includes(`"${peer}"`)))
  const published = {
    workspace: manifestIn(`${workspace}/package.json`),
    requirements: requirementsOf({ imported, named }, workspaces),
    bin,
    repository: process.env['GITHUB_REPOSITORY'] ?? null,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(published), null, 2)}\n`)
  for (const file of ['LICENSE', 'NOTICE']) cpSync(join(root, file), join(folder, file))
  cpSync(join(root, workspace, 'README.md'), join(folder, 'README.md'))
}

const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })
await buildInspector()
await Promise.all([bundleLoomlog(join(dist, 'loomlog')), bundleClient(join(dist, 'client'))])
cpSync(join(root, 'packages/loomlog/loomlog.js'), join(dist, 'loomlog/loomlog.js'))
complete(join(dist, 'loomlog'), 'packages/loomlog', { loomlog: 'loomlog.js' })
complete(join(dist, 'client'), 'packages/client', {})
