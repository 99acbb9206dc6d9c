/** `loomlog log copy --from LOG --to LOG`: the topics that can't be derived again, into another log. */
import { copyLog } from '@loomlog/app/log-copy/log-copy'
import { LoomlogError } from '@loomlog/errors'
import { type Config, configFrom } from '@loomlog/host/config'
import { checkLogExists } from '../command-config.ts'
import { count, type Output, print, printJson } from '../print.ts'

export interface LogCopyOptions extends Output {
  /** `sqlite:DIR`, `kafka:BROKERS` or `kafka:BROKERS/ENVIRONMENT`; the rest of the configuration comes from the environment. */
  readonly from: string
  readonly to: string
}

type Environment = Parameters<typeof configFrom>[0]

export async function logCopy({ from, to, json }: LogCopyOptions, environment: Environment): Promise<void> {
  const [source, target] = [configOf(from, environment), configOf(to, environment)]
  checkLogExists(source)
  const copied = await copyLog(source, target, ({ topic, records, before }) => {
    if (!json) print(`${topic}: ${count(records)} records, compared; ${count(before)} were there before`)
  })
  if (json) printJson(copied)
  else print('loomlog up or ingest derives the other topics in the target, without calling a model again')
}

function configOf(place: string, environment: Environment): Config {
  const [kind, ...rest] = place.split(':')
  const where = rest.join(':')
  if (where !== '' && kind === 'sqlite') return configFrom({ ...environment, LOOMLOG_LOG: kind, LOOMLOG_DIR: where })
  if (where !== '' && kind === 'kafka') {
    const [brokers, name = environment.LOOMLOG_KAFKA_ENVIRONMENT] = where.split('/')
    const settings = { LOOMLOG_KAFKA_BROKERS: brokers, LOOMLOG_KAFKA_ENVIRONMENT: name }
    return configFrom({ ...environment, LOOMLOG_LOG: kind, ...settings })
  }
  const expected = 'sqlite:DIR, kafka:HOST:PORT,… or kafka:HOST:PORT,…/ENVIRONMENT'
  throw new LoomlogError('input-invalid', `${place} names no log: expected ${expected}`)
}
