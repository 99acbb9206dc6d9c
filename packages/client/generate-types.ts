/**
 * Writes api.ts, the types of the public client, from docs/openapi.json: `node packages/client/generate-types.ts`. With
 * `--check` it writes nothing, and exits with 1 if the file is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { types } from './api-schemas.ts'

const file = new URL('api.ts', import.meta.url)
const source = await typesText()
if (!process.argv.includes('--check')) writeFileSync(file, source)
else if (readFileSync(file, 'utf8') !== source) {
  console.error('packages/client/api.ts is not current: run npm run generate')
  process.exitCode = 1
}

async function typesText(): Promise<string> {
  const definitions = Object.fromEntries(Object.entries(types).map(([name, schema]) => [name, typed(schema, null)]))
  const text = await compile({ definitions } as JSONSchema, 'Unused', {
    additionalProperties: false,
    bannerComment: '/** The types of the HTTP API, generated from docs/openapi.json by generate-types.ts. */',
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
    style: { printWidth: 120, semi: false, singleQuote: true },
  })
  const lines = withReadonlyLists(text.split('\n'))
  return lines
    .join('\n')
    .replace(/ \*\n +\* This interface was referenced by [^\n]+\n +\* via the `definition` [^\n]+\n/g, '')
    .replace(/\/\*\*\n \* This interface was referenced by [^\n]+\n +\* via the `definition` [^\n]+\n \*\/\n/g, '')
    .replace(/\n *\* @(?:max|min)Items \d+(?=\n)/g, '')
    .replace(/\n *\/\*\*\n *\*\//g, '')
    .replace(/^( *)\/\*\*\n *\* ([^\n]*)\n *\*\//gm, '$1/** $2 */')
    .replace(/export (interface|type) Unused\b[^\n]*\n(\s*\[k: string\]: unknown\n)?\}?\n?/, '')
    .replace(/^( +)([\w$]+\??:(?= |$)|\[k: string\]: )/gm, '$1readonly $2')
    .replace(/(: |\| |= )((?:\w+|\([^()\n]+\)|\{)\[\])/g, '$1readonly $2')
}

/** A list of objects ends with `}[]`; the object begins on the last line above with the same indent. */
function withReadonlyLists(lines: readonly string[]): readonly string[] {
  const changed = [...lines]
  for (const [at, line] of lines.entries()) {
    const [, indent] = /^( *)\}\[\]/.exec(line) ?? []
    if (indent === undefined) continue
    const start = lines.findLastIndex(
      (each, index) => index < at && each.startsWith(indent) && each[indent.length] !== ' ' && each.endsWith('{'),
    )
    changed[start] = String(changed[start]).replace(/\{$/, 'readonly {')
  }
  return changed
}

/** The schema in the words of the compiler. Properties have no names of their own, and so no types of their own. */
function typed(schema: unknown, parent: string | null): unknown {
  if (Array.isArray(schema)) return schema.map((each) => typed(each, null))
  if (typeof schema === 'string' && parent === '$ref') return schema.replace('#/components/schemas/', '#/definitions/')
  if (schema === null || typeof schema !== 'object') return schema
  const { discriminator, format, ...kept } = schema as { readonly [keyword: string]: unknown }
  return Object.fromEntries(Object.entries(kept).map(([name, each]) => [name, typed(each, name)]))
}
