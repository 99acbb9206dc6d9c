/** The fixture of the intake's tests: a real log in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import type { IntakeOptions } from './append.ts'
import { utteranceFrom } from './utterance.ts'

/** An empty log in a folder that is deleted after the test. */
export async function openIntakeLog(t: TestContext, partitions = 4): Promise<IntakeOptions> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-intake-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'utterances', partitions, retentionMs: null })
  return { log, codec: await Codec.open(log.schemas), dir }
}

export function utterance(id: string, text: string, space = 'home'): UtteranceAppended {
  const input = { id, conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text }
  return utteranceFrom(input, { tenant: 'default', space }, Date.now())
}

/** The texts of all utterances in the log. */
export async function loggedTexts({ log, codec }: IntakeOptions): Promise<string[]> {
  const found: string[] = []
  for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
    for (const { value } of records) found.push(((await codec.decode(value)) as UtteranceAppended).text)
  }
  return found
}
