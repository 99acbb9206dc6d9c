import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { assetPaths } from './assets.ts'
import { importedPackages } from './built-modules.ts'
import { publishedManifest, requirementsOf } from './manifest.ts'

const module = (text: string) => [{ path: 'packages/cli/demo.js', text }]

describe('the manifest of a published package', () => {
  const workspaces = [
    { name: '@loomlog/models', dependencies: { ajv: '^8.17.1' }, peerDependencies: { transformers: '^4.0.0' } },
    { name: '@loomlog/gateway', dependencies: { ajv: '^8.20.0', fastify: '^5.0.0' } },
  ]

  test('has the packages that modules import, with the narrower of two ranges', () => {
    const { dependencies } = requirementsOf({ imported: ['ajv'], named: [] }, workspaces)
    assert.deepEqual(dependencies, { ajv: '^8.20.0' })
  })

  test('is refused where no workspace declares an imported package', () => {
    assert.throws(() => requirementsOf({ imported: ['left-pad'], named: [] }, workspaces), /import left-pad/)
  })

  test('marks a peer as optional, and names types before code', () => {
    const requirements = requirementsOf({ imported: [], named: ['transformers'] }, workspaces)
    const manifest = publishedManifest({
      workspace: { name: 'loomlog' },
      requirements,
      bin: {},
      subpaths: [],
      repository: null,
    })
    assert.deepEqual((manifest as { peerDependenciesMeta?: object }).peerDependenciesMeta, {
      transformers: { optional: true },
    })
    assert.match(JSON.stringify(manifest), /"\.":\{"types":.*"default":/)
  })
})

describe('the manifest of a package with an entry for each adapter', () => {
  test('names each, and leaves the frameworks that they import to the application', () => {
    const imported = ['ai', 'zod']
    const workspaces = [{ name: '@loomlog/mcp', dependencies: { zod: '^4.0.0' } }]
    const requirements = requirementsOf({ imported, named: [], peers: { ai: '^7.0.0' } }, workspaces)
    assert.deepEqual(requirements, { dependencies: { zod: '^4.0.0' }, peerDependencies: { ai: '^7.0.0' } })
    const workspace = { name: '@loomlog/adapters' }
    const manifest = publishedManifest({ workspace, requirements, bin: {}, subpaths: ['ai'], repository: null })
    assert.deepEqual((manifest as { exports: object }).exports, {
      './ai': { types: './ai.d.ts', default: './ai.js' },
      './package.json': './package.json',
    })
  })
})

describe('built modules', () => {
  test('import packages in every form that the bundler writes', () => {
    const text = [
      'import a from "a";',
      'export * from "@b/b/path";',
      'import "c";',
      'await import("d");',
      'require("e");',
      'createRequire(import.meta.url)("f");',
      'import.meta.resolve("g/path");',
      ' * import x from "comment"',
      'import x from "./own.js";',
      'import { readFileSync } from "node:fs";',
    ].join('\n')
    assert.deepEqual(importedPackages(module(text)), ['@b/b', 'a', 'c', 'd', 'e', 'f', 'g'])
  })

  test('read the files of their literal paths', () => {
    const text = 'new URL("../demo/a.jsonl", import.meta.url); new URL("./prompts/", import.meta.url)'
    assert.deepEqual(assetPaths(module(text)), ['packages/cli/prompts/', 'packages/demo/a.jsonl'])
  })

  test('are refused with a computed path, whose file would not be copied', () => {
    const text = ['new URL(`./$', '{kind}/`, import.meta.url)'].join('')
    assert.throws(() => assetPaths(module(text)), /expected a literal path/)
  })
})
