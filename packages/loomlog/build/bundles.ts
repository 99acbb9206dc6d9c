/**
 * The bundles of the published packages. Those of `loomlog` keep every module in its place below the output folder, so
 * that `new URL('./prompts/', import.meta.url)` finds its file there, and a module is loaded only where it is needed.
 * `@loomlog/client` is one module, and so is each adapter of `@loomlog/adapters`. Packages of others stay imports; JSON
 * of a manifest is bundled.
 */
import { fileURLToPath } from 'node:url'
import { build, type InlineConfig } from 'tsdown'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

const own = [/^@loomlog\//, /^loomlog\//]
const shared = {
  config: false,
  cwd: root,
  format: 'esm',
  fixedExtension: false,
  clean: false,
  logLevel: 'warn',
  deps: { alwaysBundle: own, neverBundle: [/^(?!@?loomlog\/)[a-z@]/] },
} satisfies InlineConfig

/** The library and the programs of `loomlog`. */
export async function bundleLoomlog(outDir: string): Promise<void> {
  const entry = {
    index: `${root}packages/loomlog/index.ts`,
    main: `${root}packages/cli/main.ts`,
    'run-service': `${root}packages/app/run-service.ts`,
  }
  const code = { platform: 'node', target: 'node22.19', unbundle: true, sourcemap: true, dts: false } as const
  const outputOptions = { preserveModulesRoot: root }
  await Promise.all([
    build({ ...shared, ...code, entry, outDir, outputOptions }),
    bundleTypes({ index: entry.index }, outDir),
  ])
}

export async function bundleClient(outDir: string): Promise<void> {
  const entry = { index: `${root}packages/client/index.ts` }
  const code = { platform: 'neutral', target: 'es2022', sourcemap: true, dts: false } as const
  await Promise.all([build({ ...shared, ...code, entry, outDir }), bundleTypes(entry, outDir)])
}

/** @param names those of the adapters, which are their subpaths too */
export async function bundleAdapters(names: readonly string[], outDir: string): Promise<void> {
  const entry = Object.fromEntries(names.map((name) => [name, `${root}packages/adapters/${name}.ts`]))
  const code = { platform: 'neutral', target: 'es2022', sourcemap: true, dts: false } as const
  await Promise.all([build({ ...shared, ...code, entry, outDir }), bundleTypes(entry, outDir)])
}

/** Declarations without imports of internal packages. */
async function bundleTypes(entry: { readonly [name: string]: string }, outDir: string): Promise<void> {
  const dts = { emitDtsOnly: true, sourcemap: false }
  // `AsyncDisposable` is in no default library of TypeScript.
  const banner = { dts: '/// <reference lib="esnext.disposable" />' }
  await build({ ...shared, entry: { ...entry }, outDir, platform: 'node', dts, banner })
}
