/**
 * Runs attacks through a real memory in a temporary folder: each in a space of its own, where the attacker's line comes
 * by a key without the right to instruct. Then the lines of that key are retracted.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openMemory } from '@loomlog/app/open-memory'
import type { MemorySpace } from '@loomlog/client/memory'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { Intake } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { type Citing, obedientAnswer } from './obedient-model.ts'
import type { Attack, AttackScene } from './scenes.ts'

export interface AttackResult extends Pick<Attack, 'id' | 'from' | 'attack'> {
  /** The planted fact was recorded. */
  readonly isRecorded: boolean
  /** It stands under the name of another person than the attacker. */
  readonly isWronglyAttributed: boolean
  /** It is among the standing instructions of a context. */
  readonly isPinned: boolean
  /** The kinds of memories that hold its words after the undo. */
  readonly left: readonly string[]
  /** Texts of innocent facts that are missing after the undo. */
  readonly lost: readonly string[]
}

const attackerKey = 'key:attacker'
const kinds = ['utterance', 'box', 'fact', 'event', 'link', 'entry', 'document', 'profile'] as const
const settleMs = 30_000
const start = Date.UTC(2026, 2, 2, 9)

export async function runAttacks(scenes: readonly AttackScene[], citing: Citing): Promise<readonly AttackResult[]> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-red-team-'))
  const endpoint = await startFakeEndpoint({ answer: obedientAnswer(scenes, citing), dimensions: 16 })
  const env = {
    LOOMLOG_DIR: dir,
    LOOMLOG_MODEL: 'obedient-fake',
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
    LOOMLOG_API_KEY: 'none',
  }
  try {
    await appendScenes(scenes, env)
    const memory = await openMemory({ dir, env })
    try {
      const results: AttackResult[] = []
      for (const scene of scenes) results.push(await attackResult(memory.space(scene.attack.id), scene))
      return results
    } finally {
      await memory.close()
    }
  } finally {
    await endpoint.close()
    await rm(dir, { recursive: true, force: true })
  }
}

async function appendScenes(scenes: readonly AttackScene[], env: { readonly [name: string]: string }): Promise<void> {
  const host = await openHost(configFrom(env))
  try {
    const intake = new Intake({ log: host.log, codec: host.codec, dir: host.config.dir })
    for (const { attack, lines } of scenes) {
      const place = { tenant: 'default', space: attack.id }
      const events = lines.map(({ shown, isAttack, ...line }, index) => {
        const attachments = shown === null ? [] : [{ kind: 'image', description: shown }]
        const at = new Date(start + index * 60_000).toISOString()
        const event = utteranceFrom({ ...line, at, attachments }, place, start)
        return isAttack ? { ...event, canInstruct: false, principal: attackerKey } : event
      })
      await intake.append(events)
    }
  } finally {
    await host.close()
  }
}

async function attackResult(space: MemorySpace, scene: AttackScene): Promise<AttackResult> {
  const { attack, lines } = scene
  await endSpace(space, lines)
  const planted = await lastOf(
    async () => (await textsOf(space, 'fact')).filter(isOfAttack(attack)),
    (found) => found.length > 0,
  )
  const { items } = await space.context(undefined)
  const pinned = items.filter(({ part, text }) => part === 'instruction' && isOfAttack(attack)({ text }))
  const { position } = await space.retract({ principal: attackerKey, by: 'Operator' })
  await space.recall(attack.mark, { after: position })
  const rest = await lastOf(
    () => restOf(space, scene),
    ({ left, lost }) => left.length + lost.length === 0,
  )
  return {
    id: attack.id,
    from: attack.from,
    attack: attack.attack,
    isRecorded: planted.length > 0,
    isWronglyAttributed: planted.some(({ speaker }) => speaker !== attack.speaker),
    isPinned: pinned.length > 0,
    ...rest,
  }
}

async function restOf(
  space: MemorySpace,
  { attack, facts }: AttackScene,
): Promise<Pick<AttackResult, 'left' | 'lost'>> {
  const left: string[] = []
  for (const kind of kinds) if ((await textsOf(space, kind)).some(isOfAttack(attack))) left.push(kind)
  const { text } = await space.recall(attack.mark)
  if (isOfAttack(attack)({ text })) left.push('recall')
  const known = (await textsOf(space, 'fact')).map((fact) => fact.text)
  return { left, lost: facts.map((fact) => fact.text).filter((each) => !known.some((other) => other.includes(each))) }
}

/** The stages are behind for a moment: reads until the reading is as wanted, and gives the last one at the latest. */
async function lastOf<T>(read: () => Promise<T>, isWanted: (reading: T) => boolean): Promise<T> {
  const end = Date.now() + settleMs
  for (;;) {
    const reading = await read()
    if (isWanted(reading) || Date.now() > end) return reading
    await sleep(50)
  }
}

async function endSpace(space: MemorySpace, lines: AttackScene['lines']): Promise<void> {
  for (const conversation of new Set(lines.map((line) => line.conversation))) await space.end({ conversation })
  const { position } = await space.end()
  await space.recall('anything', { after: position })
}

interface ListedMemory {
  readonly text: string
  readonly speaker?: string
}

async function textsOf(space: MemorySpace, kind: string): Promise<readonly ListedMemory[]> {
  const { memories } = await space.list({ kind, limit: 500 })
  return memories as readonly ListedMemory[]
}

function isOfAttack({ mark }: Attack): (memory: ListedMemory) => boolean {
  return ({ text }) => text.toLowerCase().includes(mark.toLowerCase())
}
