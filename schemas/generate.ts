/**
 * Generates `generated/events.ts` from the .avsc files: `node schemas/generate.ts`. With `--check` it writes nothing
 * and exits 1 if the file is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { type RecordKind, records } from './records.ts'

type Avro =
  | string
  | readonly Avro[]
  | {
      readonly type: Avro
      readonly name?: string
      readonly doc?: string
      readonly items?: Avro
      readonly values?: Avro
      readonly symbols?: readonly string[]
      readonly logicalType?: string
      readonly fields?: readonly { readonly name: string; readonly type: Avro; readonly doc?: string }[]
    }

const primitives: Record<string, string> = {
  string: 'string',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  boolean: 'boolean',
  bytes: 'Uint8Array',
  null: 'null',
}

/** The width at which code and comments wrap. */
const lineWidth = 120

/** Named types so far, by name, as TypeScript declarations. */
const declared = new Map<string, string>()

function comment(doc: string | undefined, indent: string): string {
  if (doc === undefined) return ''
  const line = `${indent}/** ${doc} */\n`
  return line.length <= lineWidth + 1 ? line : `${indent}/**\n${wrapped(doc, `${indent} * `)}${indent} */\n`
}

/** The text in lines of at most `lineWidth` characters. */
function wrapped(text: string, prefix: string): string {
  let lines = ''
  let line = prefix
  for (const word of text.split(' ')) {
    const longer = line === prefix ? line + word : `${line} ${word}`
    if (longer.length <= lineWidth || line === prefix) line = longer
    else {
      lines += `${line}\n`
      line = prefix + word
    }
  }
  return `${lines}${line}\n`
}

function typeOf(avro: Avro): string {
  if (typeof avro === 'string') return primitives[avro] ?? avro
  if (Array.isArray(avro)) return avro.map(typeOf).reverse().join(' | ')
  const node = avro as Exclude<Avro, string | readonly Avro[]>
  if (node.type === 'array') return `readonly ${wrap(typeOf(node.items ?? 'null'))}[]`
  if (node.type === 'map') return `{ readonly [key: string]: ${typeOf(node.values ?? 'null')} }`
  if (node.type === 'enum') return declare(node.name ?? '', node.doc, enumOf(node.symbols ?? []))
  if (node.type === 'record') return declareRecord(node, null)
  return typeOf(node.type)
}

function wrap(type: string): string {
  return type.includes(' ') ? `(${type})` : type
}

function enumOf(symbols: readonly string[]): string {
  return symbols.map((symbol) => `'${symbol}'`).join(' | ')
}

function declare(name: string, doc: string | undefined, body: string): string {
  declared.set(name, `${comment(doc, '')}export type ${name} = ${body}\n`)
  return name
}

function declareRecord(node: Exclude<Avro, string | readonly Avro[]>, discriminator: string | null): string {
  const name = node.name ?? ''
  const lines = (node.fields ?? []).map(
    (field) => `${comment(field.doc, '  ')}  readonly ${field.name}: ${typeOf(field.type)}\n`,
  )
  const head = discriminator === null ? '' : `  readonly type: '${discriminator}'\n`
  // A type, because an interface is not assignable to Json, which keyed state and asks need.
  declared.set(name, `${comment(node.doc, '')}export type ${name} = {\n${head}${lines.join('')}}\n`)
  return name
}

function union(kind: RecordKind): string {
  const names = records.filter((record) => record.kind === kind).map((record) => record.name)
  const title = kind.charAt(0).toUpperCase() + kind.slice(1)
  return `export type ${title}Event =\n${names.map((name) => `  | ${name}\n`).join('')}`
}

for (const record of records) declareRecord(JSON.parse(record.text), record.name)
const text = [
  '// Generated from the .avsc files by schemas/generate.ts; do not edit.\n',
  ...declared.values(),
  union('source'),
  union('derived'),
  union('system'),
  union('published'),
].join('\n')

const target = new URL('./generated/events.ts', import.meta.url)
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('schemas/generated/events.ts is not current: run npm run generate')
    process.exit(1)
  }
} else {
  writeFileSync(target, text)
}
