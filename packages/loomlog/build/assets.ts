/**
 * The files that built modules read: a module names each as `new URL('PATH', import.meta.url)`, with a literal path. A
 * path that ends in `/` is a folder, of which every file but README.md is read.
 */
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import type { BuiltModule } from './built-modules.ts'

const urlOfFile = /new URL\(([^()]*), import\.meta\.url\)/g
const literal = /^(["'])([^"'$]+)\1$/

/** @throws Error where a path is computed */
export function assetPaths(modules: readonly BuiltModule[]): readonly string[] {
  const paths = modules.flatMap((module) =>
    [...module.text.matchAll(urlOfFile)].map(([, path = '']) => assetPath(module, path)),
  )
  return [...new Set(paths)].sort()
}

function assetPath({ path: module }: BuiltModule, argument: string): string {
  const [, , path] = literal.exec(argument.trim()) ?? []
  if (path === undefined)
    throw new Error(`${module} reads new URL(${argument}, import.meta.url): expected a literal path, to be copied`)
  return posix.join(posix.dirname(module), path)
}

/** Copies each from its place in the sources to the same place in the output folder. */
export function copyAssets(paths: readonly string[], from: string, to: string): void {
  for (const path of paths) {
    if (!existsSync(posix.join(from, path))) throw new Error(`${path} is missing: a built module reads it`)
    const files = path.endsWith('/') ? filesOf(posix.join(from, path)).map((name) => path + name) : [path]
    for (const file of files) cpSync(posix.join(from, file), posix.join(to, file))
  }
}

function filesOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((each) => each.isFile() && each.name !== 'README.md').map(({ name }) => name)
}
