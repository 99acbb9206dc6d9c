/** The level of a process's log lines. */
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import type { Environment } from './environment.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** @throws LoomlogError `config-invalid` */
export function logLevel(environment: Environment, fallback: 'info' | 'warn'): string {
  const level = environment.LOOMLOG_LOG_LEVEL ?? fallback
  if (levels.includes(level)) return level
  throw invalidSetting('LOOMLOG_LOG_LEVEL', level, levels.join(', '))
}
