/**
 * Fills the blocks of Markdown files that report measured figures. A block is the text between `<!-- measured: NAME
 * -->` and `<!-- /measured -->`; its lines are computed from the files in `docs/figures`.
 */

export interface Block {
  /** The path from the root of the repository. */
  readonly file: string
  readonly name: string
  readonly lines: readonly string[]
}

const end = '<!-- /measured -->'

/** @throws if the text lacks the block's markers */
export function fillBlock(text: string, { file, name, lines }: Block): string {
  const start = `<!-- measured: ${name} -->`
  const from = text.indexOf(start)
  const to = text.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`${file} has no block ${name}: expected ${start} and then ${end}`)
  return `${text.slice(0, from + start.length)}\n${lines.join('\n')}\n${text.slice(to)}`
}

/** Names of the blocks that a text has. */
export function blocksIn(text: string): readonly string[] {
  return [...text.matchAll(/<!-- measured: (.+?) -->/g)].map((match) => match[1] ?? '')
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)]
}

/** .909 for 0.909; 1.000 for 1. */
export function share(value: number, digits = 3): string {
  return value.toFixed(digits).replace(/^(-?)0\./, '$1.')
}

export function percent(value: number, digits = 0): string {
  return `${(100 * value).toFixed(digits)} %`
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** A time in ms as text: 75 ms, 2.1 s, 100 s, 7 min 1 s. */
export function time(ms: number): string {
  if (ms < 1_000) return `${ms.toFixed(0)} ms`
  const seconds = ms / 1_000
  if (seconds < 10) return `${seconds.toFixed(1).replace(/\.0$/, '')} s`
  if (seconds < 180) return `${seconds.toFixed(0)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}
