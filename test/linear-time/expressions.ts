/** The literal regular expressions of the modules that meet people's text. */
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
/** Modules that meet people's text. */
const places = [
  'packages/{language,recall,intake,corrections}/**/*.ts',
  'packages/views/*.ts',
  'packages/views/{tables,blocks,space-cache}/*.ts',
  'packages/models/words/*.ts',
  'packages/cli/*.ts',
  'services/*/*.ts',
  'services/consolidator/*/*.ts',
  'services/gateway/routes/*.ts',
  'examples/*/*.ts',
  'schemas/*.ts',
]
const noText = /\.test\.ts$|(?:^|\/)(?:main|fixture|generate)\.ts$|node_modules/

export function sourcesOfText(): readonly string[] {
  return globSync(places, { cwd: root })
    .filter((file) => !noText.test(file))
    .toSorted()
}

export interface Expression {
  readonly at: string
  readonly pattern: RegExp
}

export function literalsIn(file: string): readonly Expression[] {
  const source = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'))
  return literalsOf(source).map((literal) => {
    const end = literal.lastIndexOf('/')
    return { at: `${file}: ${literal}`, pattern: new RegExp(literal.slice(1, end), literal.slice(end + 1)) }
  })
}

/** A slash begins an expression after one of these characters and words, and is a division elsewhere. */
const beforeLiteral = /(?:^|[(,=:[!&|?{};\n+>]|\breturn|\bcase)\s*$/

/** @param source JavaScript without types */
function literalsOf(source: string): readonly string[] {
  const found: string[] = []
  for (let at = 0; at < source.length; at += 1) {
    const rest = (end: string) => Math.max(at, source.indexOf(end, at + 2))
    const sign = source.charAt(at)
    if (source.startsWith('//', at) && !source.startsWith('://', at - 1)) at = rest('\n')
    else if (source.startsWith('/*', at)) at = rest('*/') + 1
    else if (sign === "'" || sign === '"' || sign === '`') at = endOf(source, at)
    else if (sign === '/' && beforeLiteral.test(source.slice(Math.max(0, at - 40), at))) {
      const end = endOf(source, at)
      const flags = /^[a-z]*/.exec(source.slice(end + 1, end + 10))?.[0] ?? ''
      found.push(source.slice(at, end + 1) + flags)
      at = end
    }
  }
  return found
}

/**
 * The index of the sign that ends a string or an expression. A template may hold others in braces: they are skipped as
 * its text.
 */
function endOf(source: string, from: number): number {
  const sign = source.charAt(from)
  let isInClass = false
  for (let at = from + 1; at < source.length; at += 1) {
    const next = source.charAt(at)
    if (next === '\\') at += 1
    else if (sign === '/' && next === '[') isInClass = true
    else if (sign === '/' && next === ']') isInClass = false
    else if (next === sign && !isInClass) return at
  }
  return source.length
}
