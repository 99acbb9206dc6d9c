/**
 * The file of a measurement: its figures, with the command, the machine, the day, and the code that was measured. Every
 * `--json FILE` of an evaluation or a benchmark writes one. Copied to `docs/figures`, it fills the tables of the
 * READMEs (`npm run generate`).
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { promisify } from 'node:util'
import { type CodeParts, codeParts } from './code-parts.ts'

export interface Origin {
  readonly command: string
  readonly machine: string
  /** The day, in UTC. */
  readonly day: string
  /** The commit of the code, with `-dirty` if files differed from it. */
  readonly commit: string
  readonly code: CodeParts
}

/** @param name of the evaluation or benchmark, such as `eval -- locomo`; the arguments are those of the process */
export async function writeResult(file: string | undefined, name: string, figures: object): Promise<void> {
  if (file === undefined) return
  const origin: Origin = {
    command: commandOf(name, process.argv.slice(2)),
    machine: `${cpus().length} cores, ${platform()} ${arch()}, Node ${process.versions.node}`,
    day: new Date().toISOString().slice(0, 10),
    commit: await currentCommit(),
    code: codeParts(),
  }
  await writeFile(file, `${JSON.stringify({ ...origin, ...figures }, null, 2)}\n`)
}

/** Without a repository, such as in an image, the figures are written all the same. */
async function currentCommit(): Promise<string> {
  const describe = ['describe', '--always', '--dirty', '--abbrev=8', '--exclude=*']
  const { stdout } = await promisify(execFile)('git', describe, { cwd: import.meta.dirname }).catch(() => ({
    stdout: 'unknown',
  }))
  return stdout.trim()
}

/** The command with placeholders for paths and without `--json`. */
export function commandOf(name: string, args: readonly string[]): string {
  const own = args[0] === name.split(' ').at(-1) ? args.slice(1) : args
  const shown: string[] = []
  for (let at = 0; at < own.length; at++) {
    const arg = own[at] ?? ''
    if (arg === '--json') at += 1
    else if (arg.startsWith('--json=')) continue
    else if (own[at - 1] === '--dir') shown.push('DIR')
    else shown.push(/[/\\]|\.json$/.test(arg) ? 'FILE' : arg)
  }
  return ['npm run', name, ...shown].join(' ')
}
