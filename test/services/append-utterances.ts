/** Appends utterances without deriving anything, as the gateway does. */
import { configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { Codec } from '@loomlog/schemas/codec'
import { utteranceLine } from '../cli/fixture.ts'
import type { Environment } from '../pipeline/loomlog.ts'

export async function appendUtterances(
  { LOOMLOG_DIR: dir = '' }: Environment,
  texts: readonly string[],
): Promise<void> {
  const log = await openLog(configFrom({ LOOMLOG_DIR: dir }))
  const text = texts.map((each, n) => utteranceLine({ text: each, at: `2026-05-02T09:0${n}:00Z` })).join('')
  const place = { tenant: 'default', space: 'default' }
  const events = readFormat('jsonl', { file: 'talk', text, place, appendedAt: Date.now() })
  await appendOnce(events, { log, codec: await Codec.open(log.schemas), dir })
  await log.close()
}
