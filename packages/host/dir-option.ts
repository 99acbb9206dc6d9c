/** The option by which another command finds the log of a process. */
import { dirname } from 'node:path'
import { type Config, defaultDir } from './config.ts'
import { shellWord } from './shell-word.ts'

/** ` --dir memory`, to be appended to a command that a person is to paste; nothing for the default folder. */
export function dirOption({ dir, log }: Pick<Config, 'dir' | 'log'>): string {
  const given = log.kind === 'kafka' ? dirname(dir) : dir
  return given === defaultDir ? '' : ` --dir ${shellWord(given)}`
}
