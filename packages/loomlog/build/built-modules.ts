/** The modules of a bundle, and the packages that they import. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface BuiltModule {
  /** From the output folder: `packages/cli/commands/demo.js`. */
  readonly path: string
  readonly text: string
}

export function builtModules(folder: string): readonly BuiltModule[] {
  const paths = globSync('**/*.js', { cwd: folder, exclude: (name) => name === 'node_modules' })
  return paths.sort().map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

/** The forms in which the bundler writes imports, and the sources their calls of `require`. */
const imports =
  /(?:\bfrom |\bimport |\bimport\(|\bimport\.meta\.resolve\(|\brequire\(|createRequire\(import\.meta\.url\)\()["']([^"'\n]+)["']/g

/** Names of packages: `@scope/name` for `@scope/name/path`. Modules of Node are left out. */
export function importedPackages(modules: readonly BuiltModule[]): readonly string[] {
  const specifiers = modules.flatMap(({ text }) =>
    [...withoutComments(text).matchAll(imports)].map(([, it = '']) => it),
  )
  const bare = specifiers.filter((each) => !/^(\.|node:)/.test(each))
  const names = bare.map((each) =>
    each
      .split('/')
      .slice(0, each.startsWith('@') ? 2 : 1)
      .join('/'),
  )
  return [...new Set(names)].sort()
}

/** Without whole lines of comments, which quote imports. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(\*|\/\/|\/\*).*$/gm, '')
}
