/** Completion scripts, made from a program and run in the shells that this machine has. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { Argument, Command, Option } from 'commander'
import { completionScript } from './completion.ts'

const program = new Command('loomlog')
program
  .command('recall <query>')
  .option('--space <name>', 'space')
  .option('--speaker <name>', 'speaker')
  .addOption(new Option('--mode <mode>', 'mode').choices(['content', 'documents']))
program.command('completion').addArgument(new Argument('<shell>', 'shell').choices(['bash', 'fish']))
const generation = program.command('generation')
generation.command('start').option('--wait', 'wait')
generation.command('list')

const hasShell = (name: string) => spawnSync(name, ['-c', 'true']).status === 0
const skipped = (name: string) => (hasShell(name) ? false : `${name} is not installed`)

function completedInBash(...words: readonly string[]): readonly string[] {
  const script = `${completionScript('bash', program)}
    COMP_WORDS=(loomlog "$@") COMP_CWORD=$#
    _loomlog
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout.trim().split('\n')
}

test('bash completes commands, subcommands and options, also after an option', { skip: skipped('bash') }, () => {
  assert.deepEqual(completedInBash('re'), ['recall'])
  assert.deepEqual(completedInBash('generation', ''), ['start', 'list', '--help'])
  assert.deepEqual(completedInBash('generation', 'start', '--w'), ['--wait'])
  assert.deepEqual(completedInBash('recall', 'boat', '--space', 'team', '--sp'), ['--space', '--speaker'])
})

test('bash completes the choices of options and arguments', { skip: skipped('bash') }, () => {
  assert.deepEqual(completedInBash('recall', 'boat', '--mode', ''), ['content', 'documents'])
  assert.deepEqual(completedInBash('recall', 'boat', '--mode', 'd'), ['documents'])
  assert.deepEqual(completedInBash('completion', ''), ['bash', 'fish', '--help'])
  assert.deepEqual(completedInBash('recall', '--space', ''), [''], 'bash then completes files')
})

test('fish completes commands, subcommands and options', { skip: skipped('fish') }, () => {
  for (const [line, expected] of [
    ['loomlog rec', ['recall']],
    ['loomlog generation st', ['start']],
    ['loomlog recall boat --space team --sp', ['--space', '--speaker']],
    ['loomlog recall --mode docum', ['documents']],
  ] as const) {
    const script = `${completionScript('fish', program)}\ncomplete -C '${line}'`
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })
    assert.deepEqual(stdout.trim().split('\n').sort(), expected, stderr)
  }
})

// Without a terminal zsh has no completion system: the functions that it provides are replaced.
test('zsh gets the words that may follow the commands before the cursor', { skip: skipped('zsh') }, () => {
  const script = `compdef() { : }; _files() { : }; compadd() { shift; print -l -- "$@" }
    ${completionScript('zsh', program)}
    words=(loomlog "$@" '') CURRENT=$(($# + 2))
    _loomlog`
  const offered = (...words: readonly string[]) => {
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script, 'zsh', ...words], { encoding: 'utf8' })
    assert.equal(stderr, '')
    return stdout.trim().split('\n')
  }
  assert.deepEqual(offered(), ['recall', 'completion', 'generation', '--help'])
  assert.deepEqual(offered('generation'), ['start', 'list', '--help'])
  assert.deepEqual(offered('recall', 'boat', '--space', 'team'), ['--space', '--speaker', '--mode', '--help'])
  assert.deepEqual(offered('recall', '--mode'), ['content', 'documents'])
  assert.deepEqual(offered('recall', '--space'), [''], 'files alone')
})
