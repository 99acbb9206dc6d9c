/**
 * Sheets for readers and judges: `sheet-01.jsonl` in a folder, with a number for each item, and a key file elsewhere
 * that has the items by their numbers. A filled sheet lies beside it as `sheet-01.filled.jsonl`. Items that the key has
 * already are not dealt again, and the numbers continue, so that sheets may be written at any time.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { deal } from './deal.ts'

export interface SheetItem {
  readonly id: string
  /** Items of one group are on different sheets. */
  readonly group: string
  /** The fields that the reader sees. */
  readonly shown: object
}

export interface SheetPlace {
  readonly folder: string
  readonly key: string
}

export interface FilledRow {
  readonly id: string
  readonly row: { readonly [field: string]: unknown }
  /** File and line, for messages. */
  readonly where: string
}

interface KeyRow {
  readonly n: number
  readonly id: string
}

const itemsOfSheet = 40

/** Returns the number of new sheets. */
export function writeSheets(items: readonly SheetItem[], { folder, key }: SheetPlace, seed: number): number {
  const known = readLines<KeyRow>(key)
  const dealt = new Set(known.map(({ id }) => id))
  const sheets = deal(
    items.filter(({ id }) => !dealt.has(id)),
    { size: itemsOfSheet, seed },
  )
  const before = globSync('sheet-*.jsonl', { cwd: folder }).filter((file) => !file.includes('.filled.')).length
  const rows = [...known]
  mkdirSync(folder, { recursive: true })
  mkdirSync(dirname(key), { recursive: true })
  for (const [at, sheet] of sheets.entries()) {
    const lines = sheet.map(({ id, shown }) => {
      const n = rows.length + 1
      rows.push({ n, id })
      return { n, ...shown }
    })
    writeLines(join(folder, `sheet-${String(before + at + 1).padStart(2, '0')}.jsonl`), lines)
  }
  writeLines(key, rows)
  return sheets.length
}

/** Rows of filled sheets, with the items of their numbers. @throws LoomlogError `input-invalid` */
export function readFilledSheets({ folder, key }: SheetPlace): readonly FilledRow[] {
  const ids = new Map(readLines<KeyRow>(key).map(({ n, id }) => [n, id]))
  return globSync('sheet-*.filled.jsonl', { cwd: folder })
    .sort()
    .flatMap((file) =>
      readLines<{ readonly n?: unknown }>(join(folder, file)).map((row, at) => {
        const where = `${join(folder, file)}:${at + 1}`
        const id = typeof row.n === 'number' ? ids.get(row.n) : undefined
        if (id === undefined)
          throw new LoomlogError('input-invalid', `${where} has n ${row.n}: expected a number of the sheet`)
        return { id, row, where }
      }),
    )
}

/** The values of a file of JSON Lines; none if there is no file. @throws LoomlogError `input-invalid` */
export function readLines<T extends object>(file: string): readonly T[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return []
      try {
        return [JSON.parse(line) as T]
      } catch (cause) {
        throw new LoomlogError('input-invalid', `${file}:${at + 1} is no JSON: ${(cause as Error).message}`, { cause })
      }
    })
}

export function writeLines(file: string, values: readonly object[]): void {
  writeFileSync(file, values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}
