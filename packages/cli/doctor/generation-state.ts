/** Findings on the live generation, compared with the one that this installation and its settings would derive. */
import { modelDifference, upgrade } from '@loomlog/app/generations/configured-generation'
import { processorsOf } from '@loomlog/app/processors'
import type { Status } from '@loomlog/app/status'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { type Finding, ok, warning } from './check-result.ts'

export async function generationFindings(
  host: Host,
  status: Pick<Status, 'generation' | 'model' | 'embedder'>,
): Promise<readonly Finding[]> {
  if (status.generation === null) return []
  const known = await readGenerations(host.log, host.codec)
  const processors = processorsOf(host)
  const newer = upgrade(host, known, processors)
  const isOtherModel = modelDifference(host, known, processors) !== null
  const [live, { model }] = [status.model ?? 'rules', host.config]
  return [
    newer === null
      ? ok('generation', 'as the installed version derives it')
      : warning('generation', 'the installed version derives another one', 'loomlog generation plan'),
    isOtherModel
      ? warning('model', `${live}, and LOOMLOG_MODEL is ${model}`, `loomlog generation start --set model=${model}`)
      : ok('model', live),
    embedderFinding(status.embedder, host.embedder.vectorSpace.name),
  ]
}

function embedderFinding(live: string, configured: string): Finding {
  if (live === configured) return ok('embedder', live)
  const mend = `loomlog generation start --set embedder=${configured} --set view-embedder=${configured}`
  return warning('embedder', `${live}, and the settings give ${configured}`, mend)
}
