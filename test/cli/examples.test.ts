/** The help of every command ends with examples, and their arguments and options are those of the command. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseArgs } from 'node:util'
import { loomlog } from '../pipeline/loomlog.ts'
import { assertSucceeded } from './fixture.ts'

/** The words of a line as a shell splits it. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

async function helpOf(path: string): Promise<string> {
  const run = await loomlog([...path.split(' '), '--help'], {})
  assertSucceeded(run)
  return run.stdout
}

/** The paths of all commands, as the completion script names them. */
async function allCommands(): Promise<readonly string[]> {
  const { stdout } = await loomlog(['completion', 'bash'], {})
  return [...stdout.matchAll(/^ +'([a-z]+(?:[ -][a-z]+)*)'\) words/gm)].map(([, path = '']) => path)
}

/** The command of an example, and its remaining words. */
function split(words: readonly string[], paths: readonly string[]): readonly [string, readonly string[]] {
  const two = words.slice(1, 3).join(' ')
  return paths.includes(two) ? [two, words.slice(3)] : [words[1] ?? '', words.slice(2)]
}

test('each command has one to three examples, whose arguments and options it accepts', async () => {
  const paths = await allCommands()
  assert.ok(paths.length > 40, `${paths.length} commands`)
  const helps = new Map<string, string>()
  for (const path of paths) helps.set(path, await helpOf(path))
  for (const [path, help] of helps) {
    const lines = (help.split('Examples:\n')[1] ?? '').split('\n').filter((line) => line.trim() !== '')
    assert.ok(lines.length >= 1 && lines.length <= 3, `${path} has ${lines.length} examples`)
    for (const line of lines) {
      const [command, args] = split(wordsOf(line), paths)
      assert.ok(command.startsWith(path), `${line} in the help of ${path}`)
      assertAccepted(line, args, helps.get(command) ?? '')
    }
  }
})

function assertAccepted(line: string, args: readonly string[], help: string): void {
  const named = [...help.matchAll(/^ +(?:-\w, )?--(?:no-)?([a-z-]+)( <)?/gm)]
  const options = Object.fromEntries(
    named.map(([, name = '', value]) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  const { positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const usage = /Usage: .*/.exec(help)?.[0] ?? ''
  const [required, possible] = [usage.match(/<[^>]+>/g) ?? [], usage.match(/<[^>]+>|\[(?!options)[^\]]+\]/g) ?? []]
  assert.ok(positionals.length >= required.length && positionals.length <= possible.length, `${line}: ${usage}`)
}
