/**
 * Writes types.py of the Python client from docs/openapi.json: `node packages/client/generate-python-types.ts`. With
 * `--check` it writes nothing, and exits with 1 if the file is not current. Names are snake_case there, as the client
 * translates them; a parameter that is a keyword of Python gets an underscore.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Schema, types } from './api-schemas.ts'

interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

const file = new URL('../../python/src/loomlog/types.py', import.meta.url)
const width = 116
const keywords: readonly string[] = ['for', 'from']
/** Parameters of calls, which a caller gives by name. */
const parameters: { readonly [name: string]: string } = {
  RecallBody: 'RecallOptions',
  ContextBody: 'ContextOptions',
  Correction: 'Correction',
  Retraction: 'Retraction',
  Forgetting: 'Forgetting',
}
const renamed: { readonly [name: string]: string } = { ...parameters, EndReply: 'AddedEvents' }
const messages = ['Utterance', 'ChatMessage']
/** The client has no call with these. */
const unused = ['AppendReply', 'Problem', 'Tool']
const day = 'A day (its beginning, UTC)'
const offset = 'Continues after this event, as `after`.'
const primitives: { readonly [type: string]: string } = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

const feedTypes = refsOf(types['FeedEvent'])
const definitions: string[] = []
const aliases: string[] = []
const maps = new Set<string>()

for (const [name, schema] of Object.entries(types)) {
  if (name === 'FeedEvent') aliases.push(alias('MemoryEvent', feedTypes, schema.description))
  else if (name === 'Message') aliases.push(alias(name, refsOf(schema), schema.description))
  else if (!unused.includes(name)) define(renamed[name] ?? name, schema, kindOf(name))
}
const source = [opening(), ...definitions, aliases.join('\n'), mapFields()].join('\n\n')
if (!process.argv.includes('--check')) writeFileSync(file, source)
else if (readFileSync(file, 'utf8') !== source) {
  console.error('python/src/loomlog/types.py is not current: run npm run generate')
  process.exitCode = 1
}

type Kind = 'reply' | 'message' | 'parameters'

function kindOf(name: string): Kind {
  if (name in parameters) return 'parameters'
  return messages.includes(name) ? 'message' : 'reply'
}

function define(name: string, schema: Schema, kind: Kind): void {
  const { properties = {}, required = [], description } = schema
  const fields = Object.entries(properties)
    .filter(([field]) => kind !== 'parameters' || field !== 'query')
    .map(([field, each]): Field => {
      const isRequired = Array.isArray(required) && required.includes(field)
      const type = typeOf(each as Schema, name + pascal(field), kind)
      const isNullable = kind !== 'reply' && !isRequired && !/\bNone$/.test(type)
      const text = String((each as Schema).description ?? '')
      if (isMap(each as Schema)) maps.add(snake(field))
      return { name: nameOf(field, kind), type: isNullable ? `${type} | None` : type, isRequired, description: text }
    })
  if (feedTypes.includes(name)) fields.push({ name: 'offset', type: 'str', isRequired: true, description: offset })
  definitions.push(
    fields.some((each) => keywords.includes(each.name)) ? call(name, fields) : classes(name, fields, description),
  )
}

/** Python's syntax of classes has no field that is a keyword. */
function call(name: string, fields: readonly Field[]): string {
  if (fields.some(({ isRequired }) => !isRequired)) throw new Error(`${name} has a keyword and an optional field`)
  const lines = fields.map(
    ({ name: field, type, description }) => `${comment(description)}        "${field}": ${JSON.stringify(type)},`,
  )
  return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('\n')}\n    },\n)`
}

/** The base has the required fields: `NotRequired` is younger than Python 3.10. */
function classes(name: string, fields: readonly Field[], description: string | undefined): string {
  const required = fields.filter(({ isRequired }) => isRequired)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  if (optional.length === 0) return classOf(name, 'TypedDict', required, description)
  if (required.length === 0) return classOf(name, 'TypedDict, total=False', optional, description)
  const base = `_${name}Required`
  return [
    classOf(base, 'TypedDict', required, undefined),
    classOf(name, `${base}, total=False`, optional, description),
  ].join('\n\n')
}

function classOf(name: string, base: string, fields: readonly Field[], description: string | undefined): string {
  const body = fields.map(({ name: field, type, description: text }) => `    ${field}: ${type}\n${docstring(text)}`)
  const head = description === undefined || description === '' ? '' : `${docstring(description)}\n`
  return `class ${name}(${base}):\n${head}${body.join('')}`
}

function typeOf(schema: Schema, name: string, kind: Kind): string {
  const { $ref, enum: values, type, items, description = '' } = schema
  const union = schema.anyOf ?? schema.oneOf
  if ($ref !== undefined) return referenceName($ref)
  if (values !== undefined) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`
  if (union !== undefined) return unionOf(union.map((each) => typeOf(each, name, kind)))
  if (Array.isArray(type)) return unionOf(type.map((each) => typeOf({ ...schema, type: each }, name, kind)))
  if (type === 'array') {
    const item = items === undefined ? 'object' : typeOf(items as Schema, name, kind)
    return `${kind === 'reply' ? 'list' : 'Sequence'}[${item}]`
  }
  if (type === 'object') return objectType(schema, name, kind)
  if (kind !== 'reply' && schema['format'] === 'date-time') return 'str | datetime'
  if (kind !== 'reply' && description.includes(day)) return 'str | date'
  return primitives[String(type)] ?? 'object'
}

function objectType(schema: Schema, name: string, kind: Kind): string {
  const { properties, additionalProperties: value } = schema
  if (properties === undefined) {
    const each = typeof value === 'object' ? typeOf(value, name, kind) : 'object'
    return `${kind === 'reply' ? 'dict' : 'Mapping'}[str, ${each}]`
  }
  define(name, schema, kind)
  return name
}

function unionOf(each: readonly string[]): string {
  return [...new Set(each)].toSorted((a, b) => Number(a === 'None') - Number(b === 'None')).join(' | ')
}

function isMap({ type, properties }: Schema): boolean {
  return type === 'object' && properties === undefined
}

function refsOf(schema: Schema | undefined): readonly string[] {
  return (schema?.oneOf ?? schema?.anyOf ?? []).map(({ $ref = '' }) => referenceName($ref))
}

function referenceName(reference: string): string {
  return reference.replace('#/components/schemas/', '')
}

function alias(name: string, members: readonly string[], description = ''): string {
  return `${name} = ${members.join(' | ')}\n${docstring(description).replace(/^ {4}/gm, '')}`
}

function nameOf(field: string, kind: Kind): string {
  return kind === 'parameters' && keywords.includes(field) ? `${field}_` : snake(field)
}

function snake(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function docstring(text: string): string {
  if (text === '') return ''
  const lines = wrapped(text.replaceAll('\\', '\\\\'))
  return lines.length === 1 ? `    """${lines[0]}"""\n` : `    """${lines.join('\n    ')}\n    """\n`
}

function comment(text: string): string {
  return text === ''
    ? ''
    : `${wrapped(text)
        .map((line) => `        # ${line}`)
        .join('\n')}\n`
}

function wrapped(text: string): readonly string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (last.length + word.length + 1 > width - 12) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function opening(): string {
  return [
    '"""The types of the HTTP API, generated from docs/openapi.json. Their names are those of the API in snake_case."""',
    '',
    'from __future__ import annotations',
    '',
    'from collections.abc import Mapping, Sequence',
    'from datetime import date, datetime',
    'from typing import Literal, TypedDict',
    '',
  ].join('\n')
}

function mapFields(): string {
  const names = [...maps].toSorted().map((name) => JSON.stringify(name))
  return `MAP_FIELDS = frozenset((${names.join(', ')},))\n"""Fields whose keys are data and not names: they stay as they are."""\n`
}
