/**
 * `loomlog dump`: the canonical dump of a generation, or its hash: equal on every log that holds the same
 * conversations.
 */
import { createHash } from 'node:crypto'
import { canonicalDump, dumpText } from '@loomlog/app/derived-events'
import { servingOf } from '@loomlog/app/generations/live'
import type { Host } from '@loomlog/host/open'
import { type Output, print, printJson } from '../print.ts'

export interface DumpOptions extends Output {
  readonly show: 'lines' | 'hash'
  /** Default: the live generation of everyone. */
  readonly generation?: string
}

export async function dump(options: DumpOptions, host: Host): Promise<void> {
  const lines = await canonicalDump(host, await servingOf(host, options))
  const sha256 = createHash('sha256').update(lines.map(dumpText).join('\n')).digest('hex')
  if (options.show === 'lines') for (const line of lines) options.json ? printJson(line) : print(dumpText(line))
  else if (options.json) printJson({ lines: lines.length, sha256 })
  else print(`${sha256}  ${lines.length} lines`)
}
