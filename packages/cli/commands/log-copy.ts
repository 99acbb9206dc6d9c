/** `loomlog log copy --from LOG --to LOG`: the topics that can't be derived again, into another log. */
import { copyLog } from '@loomlog/app/log-copy/log-copy'
import { type CopiedWebhooks, copiedWebhooks } from '@loomlog/app/log-copy/webhook-records'
import { LoomlogError } from '@loomlog/errors'
import { type Config, configFrom } from '@loomlog/host/config'
import { checkLogExists } from '../command-config.ts'
import { count, type Output, print, printJson, printNotice } from '../print.ts'

export interface LogCopyOptions extends Output {
  /**
   * `sqlite:DIR`, `kafka:BROKERS` or `kafka:BROKERS/ENVIRONMENT`; the rest of the configuration comes from the
   * environment.
   */
  readonly from: string
  readonly to: string
}

type Environment = Parameters<typeof configFrom>[0]

export async function logCopy({ from, to, json }: LogCopyOptions, environment: Environment): Promise<void> {
  const [source, target] = [configOf(from, environment), configOf(to, environment)]
  checkLogExists(source)
  const copied = await copyLog(source, target, ({ topic, records, before, misplaced }) => {
    if (json) return
    print(`${topic}: ${count(records)} records, compared; ${count(before)} were there before`)
    if (misplaced > 0)
      print(`${topic}: ${count(misplaced)} records in a wrong partition are not copied: no memory has them`)
  })
  if (json) printJson(copied)
  else print('loomlog up or ingest derives the other topics in the target, without calling a model again')
  const note = json ? printNotice : print
  for (const line of webhookNotes(await copiedWebhooks(source, target))) note(line)
}

function webhookNotes({ enabled, withoutKey }: CopiedWebhooks): readonly string[] {
  if (enabled === 0) return []
  const posted =
    `${count(enabled)} webhooks post the whole feed of the target, from its beginning, with new event ids, and the source continues to post its own: ` +
    'stop the source, and before loomlog up use loomlog webhooks pause ID for receivers that must not get events again'
  const parked = 'parked deliveries stay listed; their events come again in this feed, and a replay of one says so'
  if (withoutKey === 0) return [posted, parked]
  const key = `${count(withoutKey)} webhooks wait for the webhook key: give every process of the target the source's, as LOOMLOG_WEBHOOK_KEY or as the file webhook-key`
  return [posted, parked, key]
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
