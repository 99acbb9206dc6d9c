/** The fenced blocks of a page that a reader may copy, in order, and the reason where one can't run in a test. */
export interface Snippet {
  readonly language: 'ts' | 'sh'
  /** The line of the page on which the block begins. */
  readonly line: number
  readonly text: string
  /** The reason of `<!-- not run: reason -->` above the block; null: it runs. */
  readonly notRun: string | null
}

const languages: { readonly [name: string]: Snippet['language'] } = { ts: 'ts', js: 'ts', sh: 'sh', bash: 'sh' }

export function snippetsIn(page: string): readonly Snippet[] {
  const lines = page.split('\n')
  const found: Snippet[] = []
  for (const [at, line] of lines.entries()) {
    const [, indent = '', name = ''] = /^( *)```(\w+)$/.exec(line) ?? []
    const language = languages[name]
    if (language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, at)
    if (end === -1) throw new Error(`the block on line ${at + 1} has no end: expected ${indent}\`\`\``)
    const text = lines.slice(at + 1, end).map((each) => each.slice(indent.length))
    const notRun = /^ *<!-- not run: (.+) -->$/.exec(lines[at - 1] ?? '')?.[1] ?? null
    found.push({ language, line: at + 1, text: `${text.join('\n')}\n`, notRun })
  }
  return found
}
