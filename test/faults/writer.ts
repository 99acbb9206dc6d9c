/**
 * A writer in a process of its own, `writer.ts PLAN`. It appends utterances one after the other to its conversations,
 * and records each attempt and its outcome. It repeats an attempt with an unknown outcome under the same id. Killed and
 * started again, it continues after its last acknowledged attempt. Sometimes it appends a record that is too large,
 * which must fail and add nothing to the log.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { recordOf } from '@loomlog/intake/append'
import { conversationPauseAfter, utteranceFrom } from '@loomlog/intake/utterance'
import { maxRecordBytes } from '@loomlog/log/port'
import { Codec } from '@loomlog/schemas/codec'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { History } from './history.ts'

export interface WriterPlan {
  readonly writer: string
  readonly spaces: readonly string[]
  readonly everyMs: number
  readonly historyFile: string
  readonly stopFile: string
}

const oversizedEvery = 25
const matters = ['the boat needs a new engine', 'my sister moved to Porto', 'the talk was accepted', 'I adopted a cat']

const plan = JSON.parse(process.argv[2] ?? '') as WriterPlan
const history = new History(plan.historyFile)
const log = await patiently(() => openLog(configFrom(process.env)))
const codec = await patiently(() => Codec.open(log.schemas))
const acknowledged = new Set(history.read().flatMap((line) => ('acknowledged' in line ? [line.acknowledged] : [])))
const last = new Map<string, UtteranceAppended>()
for (let n = 0; !existsSync(plan.stopFile) || acknowledged.has(utterance(n).id); n += 1) {
  const said = utterance(n)
  if (!acknowledged.has(said.id)) {
    if (n % oversizedEvery === 0) await append({ ...said, id: `${said.id}-large`, text: 'x'.repeat(maxRecordBytes) })
    while ((await append(said)) === 'unknown') await sleep(200)
    await sleep(plan.everyMs)
  }
  last.set(said.space, said)
}
// The end of each conversation, so that its last box is sealed.
for (const said of last.values())
  await patiently(() => log.append('utterances', [recordOf(conversationPauseAfter(said), codec)]))
await log.close()

async function append(said: UtteranceAppended): Promise<'acknowledged' | 'failed' | 'unknown'> {
  const { id } = said
  history.note({ tries: id, space: spaceKey(said.tenant, said.space) })
  try {
    const [position] = await log.append('utterances', [recordOf(said, codec)])
    if (!position) throw new Error('an append without a position')
    history.note({ acknowledged: id, place: { partition: position.partition, offset: position.offset } })
    return 'acknowledged'
  } catch (error) {
    const why = String(error)
    if (isLoomlogError(error, 'record-too-large')) {
      history.note({ failed: id, why })
      return 'failed'
    }
    history.note({ unknown: id, why })
    if (isLoomlogError(error) && error.retryable) return 'unknown'
    throw error
  }
}

function utterance(n: number): UtteranceAppended {
  const { writer, spaces } = plan
  const space = spaces[n % spaces.length] ?? 'home'
  const at = new Date(Date.UTC(2026, 0, 5) + n * 60_000).toISOString()
  const text = `Number ${n} of ${writer}: ${matters[n % matters.length]}.`
  const input = { id: `${writer}-${n}`, conversation: `${writer} in ${space}`, speaker: writer, at, text }
  return utteranceFrom(input, { tenant: 'faults', space }, Date.now())
}

/** Retries while the log is away. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isLoomlogError(error) || !error.retryable) throw error
      await sleep(500)
    }
  }
}
