/** The page of options: the help of every command, from the command line itself. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../../../packages/cli/main.ts', import.meta.url))

const head = `# Options

The help of every command, as \`--help\` prints it. [Commands](../commands.md) explains them by task.
`

export async function optionsPage(): Promise<string> {
  return `${head}${(await sectionsOf([])).join('')}`
}

async function sectionsOf(path: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [main, ...path, '--help'])
  const help = stdout.trimEnd().replaceAll(/[ \t]+$/gm, '')
  const own = `\n## loomlog${path.map((name) => ` ${name}`).join('')}\n\n\`\`\`text\n${help}\n\`\`\`\n`
  const sections = await Promise.all(subcommandsIn(help).map((name) => sectionsOf([...path, name])))
  return [own, ...sections.flat()]
}

/** Names of commands in a help text: they are indented by two, and a description's further lines by more. */
export function subcommandsIn(help: string): readonly string[] {
  const list = help.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? ''
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
}
