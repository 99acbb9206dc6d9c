/**
 * The page of the library: the declarations of the public interface, as they are in the sources, with their comments.
 */
export interface LibrarySources {
  readonly opening: string
  readonly client: string
  readonly memory: string
}

const head = `# Library

\`openMemory\` of \`loomlog\` opens a memory in a folder, in this process; \`connect\` of \`@loomlog/client\` reaches one on a server. Both give the same
\`Memory\`. [In your program](../start/embedded.md) has a first program. The bodies and replies, such as \`RecallBody\` and \`RecallReply\`, have the fields of the
[HTTP API](../api.md); [messages](../messages.md) describes a message, [errors](errors.md) every code.

\`\`\`ts
openMemory(options: OpenMemoryOptions): Promise<Memory> // loomlog
connect(options: ConnectOptions): Memory // loomlog and @loomlog/client
\`\`\`
`

export function libraryPage({ opening, client, memory }: LibrarySources): string {
  const declarations = [
    ...declarationsIn(opening).filter(({ name }) => name === 'OpenMemoryOptions'),
    ...declarationsIn(client.replace('ServerAddress', 'ConnectOptions')).filter(
      ({ name }) => name === 'ConnectOptions',
    ),
    ...declarationsIn(memory),
  ]
  const sections = declarations.map(({ name, comment, text }) =>
    [`## ${name}`, comment, `\`\`\`ts\n${text}\n\`\`\``].filter((part) => part !== '').join('\n\n'),
  )
  return `${head}\n${sections.join('\n\n')}\n`
}

interface Declaration {
  readonly name: string
  /** The text of the doc comment. */
  readonly comment: string
  readonly text: string
}

/** Exported interfaces and types, as the formatter writes them: the end of a declaration is a line without indent. */
export function declarationsIn(source: string): readonly Declaration[] {
  const found: Declaration[] = []
  const lines = source.split('\n')
  for (const [at, line] of lines.entries()) {
    const name = /^export (?:interface|type) (\w+)/.exec(line)?.[1]
    if (name === undefined) continue
    found.push({ name, comment: commentAbove(lines, at), text: [line, ...restOf(lines, at)].join('\n') })
  }
  return found
}

function restOf(lines: readonly string[], at: number): readonly string[] {
  const first = lines[at] ?? ''
  if (!/[{=]$/.test(first)) return []
  const end = lines.findIndex((line, index) => index > at && !/^(?: |$)/.test(line))
  const last = end !== -1 && lines[end]?.startsWith('}') ? end + 1 : lines.indexOf('', at)
  return lines.slice(at + 1, last === -1 ? undefined : last)
}

function commentAbove(lines: readonly string[], at: number): string {
  if (!lines[at - 1]?.endsWith('*/')) return ''
  const start = lines.findLastIndex((line, index) => index < at && line.startsWith('/**'))
  const text = lines.slice(start, at).map((line) => line.replace(/^\/\*\*|^ \*\/?|\*\/$/g, '').trim())
  return text.filter((line) => line !== '').join(' ')
}
