/**
 * `loomlog status`: how far each stage and view has come, how much is parked, how large everything is. Needs no running
 * process.
 */
import type { PartStatus, Status } from '@loomlog/app/status'
import type { Usage } from '@loomlog/app/usage'
import { languageNotice } from '../language-notice.ts'
import { cell, count, heading, type Output, print, printJson, table } from '../print.ts'

/** The status of a server has no tokens and money, since it isn't for one tenant. */
type ShownStatus = Status & { readonly usage?: Usage }

export function printStatus(now: ShownStatus, output: Output): void {
  if (output.json) {
    printJson(now)
    return
  }
  print(`live generation ${now.generation ?? 'none'}, derived by ${now.model ?? 'rules'}, embedded by ${now.embedder}`)
  const rows = [...now.stages, ...now.views].map(row)
  if (now.publisher !== null) rows.push(publisherRow(now.publisher))
  const [titles = '', ...lines] = table([['', 'done', 'of', 'lag', 'behind', 'held by'], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  if (now.beside.length > 0) print(`also running: ${now.beside.join(', ')} (loomlog generation show ID)`)
  const { usage } = now
  if (usage && usage.total.inputTokens > 0) print(`used: ${usageText(usage.total)}; today ${usageText(usage.today)}`)
  for (const { text, process } of now.waiting) print(`waiting (process ${process}): ${cell(text)}`)
  const notice = languageNotice(now.languages, now.model)
  if (notice !== null) print(notice)
  const { all, disabled, parked } = now.webhooks
  if (all > 0) print(`webhooks: ${count(all)}, ${count(disabled)} disabled, ${count(parked)} parked deliveries`)
  print(`${parkedText(now)}; log ${megabytes(now.bytes.log)}, views ${megabytes(now.bytes.views)}`)
}

function row(part: PartStatus): readonly string[] {
  const behind = part.behindMs === 0 ? '' : `${(part.behindMs / 1_000).toFixed(1)} s`
  const holder = part.frozen === null ? part.owners.join(' ') || '—' : `frozen: ${part.frozen}`
  return [part.name, count(part.position), count(part.end), count(part.lag), behind, holder]
}

/** Only `loomlog up` and the service `publisher` publish the feed: without them its lag is no delay. */
function publisherRow(part: PartStatus): readonly string[] {
  if (part.owners.length > 0 || part.lag === 0) return row(part)
  return [...row({ ...part, behindMs: 0 }).slice(0, -1), 'nothing publishes now: loomlog up does']
}

/** A server of an older version sends no counts by code. */
function parkedText({ parked, parkedByCode = {} }: Pick<Status, 'parked' | 'parkedByCode'>): string {
  const codes = Object.entries(parkedByCode).map(([code, records]) => `${count(records)} ${code}`)
  return `parked inputs that wait for a retry: ${count(parked)}${codes.length === 0 ? '' : ` (ever parked: ${codes.join(', ')})`}`
}

function usageText({ calls, repairs, inputTokens, outputTokens, money }: Usage['total']): string {
  const paid = money === null ? '' : `, ${money.toFixed(4)} by LOOMLOG_PRICES`
  const sent = `${count(calls)} calls${repairs === 0 ? '' : `, ${count(repairs)} of them repairs`}`
  return `${sent}, ${count(inputTokens)} tokens in, ${count(outputTokens)} out${paid}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
