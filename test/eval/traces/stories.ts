/**
 * Conversations in boxes of a fixed number of utterances, so that a measurement doesn't depend on topic-loom. A session
 * is a conversation, and ends with a pause.
 */
import { readFileSync } from 'node:fs'
import type { BoxSealed, BoxUtterance } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { sessionTime } from '../locomo/session-time.ts'

const utterancesPerBox = 5

interface Turn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  readonly blip_caption?: string
}
interface Sample {
  readonly conversation: { readonly [key: string]: unknown }
  readonly qa: readonly { readonly evidence?: readonly string[]; readonly category: number }[]
}
interface Line {
  readonly conversation: string
  readonly id: string
  readonly speaker: string
  readonly role: BoxUtterance['role']
  readonly at: string
  readonly text: string
}
export interface Story {
  readonly name: string
  readonly boxes: readonly (BoxSealed & { readonly seq: number })[]
  /** Utterances that answer one question together. */
  readonly evidence: readonly (readonly string[])[]
}

export function storiesFromLocomo(file: string): readonly Story[] {
  const samples = JSON.parse(readFileSync(file, 'utf8')) as readonly Sample[]
  return samples.map(({ conversation, qa }, index) => {
    const sessions: { name: string; utterances: BoxUtterance[] }[] = []
    let seq = 0
    for (let number = 1; Array.isArray(conversation[`session_${number}`]); number++) {
      const at = sessionTime(String(conversation[`session_${number}_date_time`]))
      const turns = conversation[`session_${number}`] as readonly Turn[]
      const utterances = turns.map((turn, place): BoxUtterance => {
        const attachments = turn.blip_caption ? [{ kind: 'image', description: turn.blip_caption, uri: null }] : []
        return {
          id: turn.dia_id,
          seq: seq++,
          speaker: turn.speaker,
          role: 'human',
          at: at + place * 60_000,
          text: turn.text,
          attachments,
        }
      })
      sessions.push({ name: `session-${number}`, utterances })
    }
    const name = `${conversation.speaker_a} and ${conversation.speaker_b}`
    const evidence = qa.filter((each) => each.category === 1).map((each) => [...new Set(each.evidence ?? [])])
    return { name, boxes: boxesOf(`s${index}`, sessions), evidence }
  })
}

export function storyFromLines(file: string): Story {
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const sessions = [...Map.groupBy(lines, (line) => line.conversation)].map(([name, spoken]) => ({
    name,
    utterances: spoken.map(
      ({ id, speaker, role, at, text }, seq): BoxUtterance => ({
        id,
        seq,
        speaker,
        role,
        at: Date.parse(at),
        text,
        attachments: [],
      }),
    ),
  }))
  return { name: file, boxes: boxesOf('demo', sessions), evidence: [] }
}

export function boxesOf(
  space: string,
  sessions: readonly { readonly name: string; readonly utterances: readonly BoxUtterance[] }[],
): Story['boxes'] {
  return sessions.flatMap(({ name, utterances }) => {
    const starts = utterances.map((_, index) => index).filter((index) => index % utterancesPerBox === 0)
    return starts.map((start) => {
      const part = utterances.slice(start, start + utterancesPerBox)
      const first = part[0]?.at ?? 0
      const last = part.at(-1)
      return {
        type: 'BoxSealed' as const,
        id: hash([space, name, start]),
        tenant: 'eval',
        space,
        seq: last?.seq ?? 0,
        ordinal: 0,
        knownAt: first,
        lineage: { derivation: 'eval', method: 'windows', causes: [], completions: [] },
        conversation: name,
        utterances: part,
        cut: start === starts.at(-1) ? ('pause' as const) : ('size' as const),
        topic: '',
        keywords: [],
        startedAt: first,
        endedAt: last?.at ?? first,
        keyId: null,
      }
    })
  })
}
