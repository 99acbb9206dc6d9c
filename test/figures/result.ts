/**
 * The file of a measurement: its figures, with the command, the machine and the day. Every `--json FILE` of an evaluation or a benchmark
 * writes one. Copied to `docs/figures`, it fills the tables of the READMEs (`npm run generate`).
 */
import { writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'

export interface Origin {
  readonly command: string
  readonly machine: string
  /** The day, in UTC. */
  readonly day: string
}

/** @param name of the evaluation or benchmark, such as `eval -- locomo`; the arguments are those of the process */
export async function writeResult(file: string | undefined, name: string, figures: object): Promise<void> {
  if (file === undefined) return
  const origin: Origin = {
    command: commandOf(name, process.argv.slice(2)),
    machine: `${cpus().length} cores, ${platform()} ${arch()}, Node ${process.versions.node}`,
    day: new Date().toISOString().slice(0, 10),
  }
  await writeFile(file, `${JSON.stringify({ ...origin, ...figures }, null, 2)}\n`)
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
