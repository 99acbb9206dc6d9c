/**
 * Output of commands: text for people, and with `--json` JSON for programs. Data goes to stdout, progress to stderr.
 */
import { styleText } from 'node:util'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import { shellWord } from '@loomlog/host/shell-word'
import { oneLine } from '@loomlog/schemas/one-line'
import { defaultSpace } from './default-space.ts'

export interface Output {
  readonly json: boolean
}

export function printJson(value: unknown): void {
  process.stdout.write(`${escapeUnseen(JSON.stringify(value))}\n`)
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

export function printNotice(line: string): void {
  process.stderr.write(`${printable(line)}\n`)
}

/** The part of a reply that names spaces and speakers that the memory doesn't have. */
interface NoticedReply {
  readonly notices?: readonly string[]
}

/**
 * Prints the notices of names that the memory doesn't have. The command then fails, so that a mistyped name in a script
 * is seen. The default space is no mistyped name: while it is empty, the notice alone is printed. The HTTP API replies
 * with 200 and the notices.
 */
export function printUnknownNames({ notices = [] }: NoticedReply): void {
  for (const each of notices) printNotice(`loomlog: ${withOption(each)}`)
  if (wrongNames(notices).length > 0) process.exitCode = 2
}

/** Without --space the default space is searched: its notice names the option. */
function withOption(notice: string): string {
  const nearest = isOfDefaultSpace(notice) ? /(?<=; the nearest: )"(?:[^"\\]|\\.)*"/.exec(notice) : null
  return nearest === null ? notice : `${notice}; --space ${shellWord(JSON.parse(nearest[0]))} searches the first`
}

/** A reply for `--json`: with an error beside the notices of unknown names. */
export function withNameError(reply: NoticedReply): object {
  const wrong = wrongNames(reply.notices ?? [])
  return wrong.length === 0 ? reply : { ...reply, error: { code: 'not-found', message: wrong.join('; ') } }
}

function wrongNames(notices: readonly string[]): readonly string[] {
  return notices.filter((each) => !isOfDefaultSpace(each))
}

function isOfDefaultSpace(notice: string): boolean {
  return notice.startsWith(`there is no space named "${defaultSpace}"`)
}

/**
 * Lines made safe for a terminal: control characters, which could take it over, are shown as ·. For a text of one line
 * there is `cell`.
 */
export function printable(lines: string): string {
  return lines.replaceAll(/[^\P{Cc}\n\t]/gu, '·')
}

/** A text of a person, or a name, on one line and in one column: two spaces separate columns. */
export function cell(text: string): string {
  return oneLine(text).replaceAll(/ {2,}/g, ' ')
}

export function heading(text: string): string {
  return styleText('bold', text)
}

export function faint(text: string): string {
  return styleText('dim', text)
}

export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** Event and log times, for people: 2026-03-02 09:00. */
export function dateTimeText(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

export function dateText(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString().slice(0, 10)
}

export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(cell))
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  )
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
