/**
 * `loomlog doctor`: the findings on the installation, the folder, the log and the programs around it. It changes
 * nothing. Exits with 0 without a problem, 1 if the problems may pass, 2 if there is one to mend.
 */
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Config } from '@loomlog/host/config'
import { dirOption } from '@loomlog/host/dir-option'
import { shellWord } from '@loomlog/host/shell-word'
import { version } from '@loomlog/host/version'
import { hasLog } from '../command-config.ts'
import { exitCodeOf, type Finding, mendedOn, wrongSettings } from '../doctor/check-result.ts'
import { endpointFindings } from '../doctor/endpoints.ts'
import { folderFindings } from '../doctor/folder.ts'
import { installationFindings } from '../doctor/installation.ts'
import { privacyFindings } from '../doctor/privacy.ts'
import { serverFindings } from '../doctor/server.ts'
import { cell, type Output, print, printJson } from '../print.ts'

const words = { ok: 'ok', warning: 'warning', away: 'problem', problem: 'problem' } as const

export interface LogSettings {
  /** @throws LoomlogError `config-invalid` */
  configure(): Config
}

export interface ServerConnection {
  readonly client: LoomlogClient
  readonly url: string
}

export async function doctor(output: Output, subject: LogSettings | ServerConnection): Promise<void> {
  const findings = [
    ...(await installation()),
    ...('client' in subject ? await onServer(subject) : await onConfigured(subject)),
  ]
  if (output.json)
    printJson({
      findings: findings.map((each) => ({ ...each, mayPass: each.state === 'away', state: words[each.state] })),
    })
  else for (const each of findings) printFinding(each)
  process.exitCode = exitCodeOf(findings)
}

function installation(): Promise<readonly Finding[]> {
  return installationFindings({
    loomlog: version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    loadViews: () => import('@loomlog/app/verification'),
  })
}

async function onServer({ client, url }: ServerConnection): Promise<readonly Finding[]> {
  const findings = await serverFindings(client, version)
  return findings.map((each) => mendedOn(` --url ${shellWord(url)}`, each))
}

async function onConfigured({ configure }: LogSettings): Promise<readonly Finding[]> {
  const config = validConfig(configure)
  if (isLoomlogError(config)) return [wrongSettings(config.message)]
  const findings = await onLog(config)
  return findings.map((each) => mendedOn(dirOption(config), each))
}

/** The error, where a setting is wrong. */
function validConfig(configure: LogSettings['configure']): Config | LoomlogError {
  try {
    return configure()
  } catch (error) {
    if (!isLoomlogError(error, 'config-invalid')) throw error
    return error
  }
}

async function onLog(config: Config): Promise<readonly Finding[]> {
  const endpoints = await endpointFindings(config)
  const around = [...folderFindings(config.dir), ...privacyFindings(config.dir, process.cwd()), ...endpoints]
  const hasBrokers = endpoints.every(({ check, state }) => state === 'ok' || check === 'models')
  if (!hasLog(config) || !hasBrokers) return around
  const { logFindings } = await import('../doctor/log-state.ts')
  return [...around, ...(await logFindings(config))]
}

function printFinding({ check, state, text, mend }: Finding): void {
  print(`${words[state].padEnd(8)}  ${cell(check)}: ${cell(text)}${mend === null ? '' : ` → ${cell(mend)}`}`)
}
