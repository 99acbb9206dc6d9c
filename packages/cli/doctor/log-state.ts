/**
 * Findings on the log: whether it opens, its topics, and the memory in it. An embedded log is opened for reading only,
 * and nothing in its folder changes. Of a log on Kafka only the topics are compared, since a process that opens more of
 * it creates topics.
 */
import { statusReader } from '@loomlog/app/status'
import { checkTopics } from '@loomlog/app/topic-check'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Config } from '@loomlog/host/config'
import { loadExtensions } from '@loomlog/host/extensions'
import { openHost } from '@loomlog/host/open'
import { openLog } from '@loomlog/host/open-log'
import { away, type Finding, ok, problem, warning, wrongSettings } from './check-result.ts'
import { encryptionFinding } from './encryption.ts'
import { accessFindings } from './exposure.ts'
import { generationFindings } from './generation-state.ts'
import { memoryFindings } from './memory-state.ts'

export async function logFindings(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  try {
    findings.push(...(await topicFindings(config)), await encryptionFinding(config))
    if (config.log.kind === 'kafka' || findings.some(({ state }) => state === 'problem')) return findings
    const host = await openHost(config, () => {}, 'read')
    try {
      findings.push(...(await accessFindings(host)))
      const status = await statusReader(host)()
      return [...findings, ...memoryFindings(status), ...(await generationFindings(host, status))]
    } finally {
      await host.close()
    }
  } catch (error) {
    if (!isLoomlogError(error)) throw error
    return [...findings, failureFinding(error)]
  }
}

async function topicFindings(config: Config): Promise<readonly Finding[]> {
  const { topics } = await loadExtensions(config.extensions)
  const log = await openLog(config, 'read')
  try {
    const compared = await checkTopics({ topics, partitions: null, configuredPartitions: config.partitions }, log)
    const wrong = compared.filter(({ state }) => state !== 'right')
    const opened = ok('log', config.log.kind === 'sqlite' ? 'it opens, and its pages are sound' : 'it opens')
    if (wrong.length === 0) return [opened, ok('topics', 'as planned')]
    return [opened, ...wrong.map(({ topic, state }) => problem('topics', `${topic}: ${state}`, 'loomlog topics apply'))]
  } finally {
    await log.close()
  }
}

function failureFinding({ code, message, retryable }: LoomlogError): Finding {
  switch (code) {
    case 'log-corrupt':
      return problem('log', message, 'loomlog restore FOLDER')
    case 'view-corrupt':
      return problem('views', message, 'loomlog verify --repair')
    case 'config-invalid':
    case 'key-unavailable':
    case 'embedder-mismatch':
      return wrongSettings(message)
    case 'log-read-only':
      // A log of an older version, or one whose process was killed and whose folder was copied without the index.
      return warning('log', 'it must be opened for writing before it can be examined', 'loomlog status')
    default:
      return (retryable ? away : problem)('log', message, 'loomlog status')
  }
}
