/**
 * A writer's attempts, in a file: a line before each attempt and a line after it. The file outlives the writer. An
 * attempt without its second line has an unknown outcome: the writer was killed before it learned it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Attempt, RecordPosition } from './checker.ts'

export type Line =
  | { readonly tries: string; readonly space: string }
  | { readonly acknowledged: string; readonly place: RecordPosition }
  | { readonly failed: string; readonly why: string }
  | { readonly unknown: string; readonly why: string }

export class History {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  note(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  /** Ignores a last line that a killed writer did not finish. */
  read(): readonly Line[] {
    if (!existsSync(this.#file)) return []
    const lines = readFileSync(this.#file, 'utf8').split('\n')
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Line)
  }
}

export function attemptsOf(writer: string, lines: readonly Line[]): readonly Attempt[] {
  const attempts: Attempt[] = []
  for (const line of lines) {
    if ('tries' in line) {
      attempts.push({ writer, space: line.space, id: line.tries, outcome: 'unknown', place: null })
      continue
    }
    const last = attempts.pop()
    if (!last) throw new Error(`the history of ${writer} begins with an outcome`)
    if ('acknowledged' in line) attempts.push({ ...last, outcome: 'acknowledged', place: line.place })
    else attempts.push({ ...last, outcome: 'failed' in line ? 'failed' : 'unknown' })
  }
  return attempts
}
