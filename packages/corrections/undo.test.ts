import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { EvidenceRetracted, LoomEvent, UtteranceAppended } from '@loomlog/schemas/events'
import type { ViewReader } from '@loomlog/views/reader'
import type { Table } from '@loomlog/views/table'
import { tables } from '@loomlog/views/tables'
import { planUndo } from './undo.ts'

const asking = {
  place: { tenant: 't', space: 's', principal: 'key:k9' },
  by: 'Ada',
  role: 'human',
  reason: null,
  at: 9,
} as const
const day = (n: number) => Date.UTC(2026, 0, n)

function said(
  id: string,
  speaker: string,
  conversation: string,
  at: number,
  principal: string | null = null,
): UtteranceAppended {
  const place = { tenant: 't', space: 's', conversation, speaker, role: 'human' } as const
  const words = { text: `${id} words`, attachments: [], metadata: {} }
  return {
    type: 'UtteranceAppended',
    id,
    ...place,
    ...words,
    at,
    appendedAt: at,
    isTimeGiven: true,
    canInstruct: true,
    keyId: null,
    principal,
  }
}

const talk = [
  said('u1', 'Ada', 'c1', day(1)),
  said('u2', 'Ben', 'c1', day(2)),
  said('u3', 'Ada', 'c2', day(3)),
  said('u4', 'Ben', 'c2', day(4), 'key:k1'),
]
const fact = (id: string, derivation: string, ...sources: readonly string[]) => ({ id, derivation, sources })
const held: { readonly [table: string]: readonly ReturnType<typeof fact>[] } = {
  boxes: [fact('b1', 'loom', 'u1', 'u2'), fact('b2', 'loom', 'u3', 'u4')],
  facts: [fact('f1', 'old', 'u1'), fact('f3', 'new', 'u3', 'u4')],
  entries: [fact('n1', 'docs', 'u1', 'u3')],
}

async function plan(
  causes: Parameters<typeof planUndo>[0],
  events: readonly LoomEvent[] = talk,
  origin: Parameters<typeof planUndo>[1] = asking,
) {
  const codec = { decodeOwn: async (value: unknown) => value } as unknown as Codec
  const log = {
    async *read() {
      yield events.map((event) => ({ key: 't/s', value: event }))
    },
  } as unknown as Log
  const scan = async ({ name }: Table) =>
    (held[name] ?? []).map(({ id, sources, derivation }) => ({
      id,
      text: id,
      sources,
      facts: [],
      lineage: { derivation },
    }))
  const views = { tables, scan, partitionOf: () => 0, isVoid: async () => false } as unknown as ViewReader
  const { utterances, unknown, downstream, events: made } = await planUndo(causes, origin, { log, codec, views })
  const ids = Object.fromEntries(Object.entries(downstream).map(([kind, all]) => [kind, all.map(({ id }) => id)]))
  return { utterances: utterances.map(({ id }) => id), unknown, downstream: ids, made }
}

test('an undo selects the utterances that fit its ids, its speaker, its conversation and its time', async () => {
  const byId = await plan({ utterances: ['u4', 'u2', 'absent'] })
  assert.deepEqual([byId.utterances, byId.unknown], [['u2', 'u4'], ['absent']])
  assert.deepEqual((await plan({ utterances: ['u4', 'u1'], speaker: 'Ada' })).utterances, ['u1'])
  assert.deepEqual((await plan({ speaker: 'Ada' })).utterances, ['u1', 'u3'])
  assert.deepEqual((await plan({ speaker: '\u0410da' })).utterances, ['u1', 'u3'], 'the name looks the same')
  const { utterances, made } = await plan({ principal: 'key:k1' })
  assert.deepEqual([utterances, made.map(({ principal }) => principal)], [['u4'], ['key:k9']])
  assert.deepEqual((await plan({ conversation: 'c2' })).utterances, ['u3', 'u4'])
  assert.deepEqual((await plan({ from: day(2), to: day(4) })).utterances, ['u2', 'u3'])
  assert.deepEqual((await plan({ speaker: 'Ben', conversation: 'c1', to: day(2) })).utterances, [])
})

test('an agent retracts no words of a person', async () => {
  const mixed = talk.map((each, at) => (at % 2 === 0 ? each : ({ ...each, role: 'agent' } as const)))
  const byAgent = await plan({ conversation: 'c1' }, mixed, { ...asking, role: 'agent' })
  assert.deepEqual(byAgent.utterances, ['u2'])
})

test('a plan lists the derived memories, and has one event a conversation, with the same id in each plan', async () => {
  const { downstream, made } = await plan({ speaker: 'Ada' })
  assert.deepEqual(downstream, { boxes: ['b1', 'b2'], facts: ['f1', 'f3'], entries: ['n1'] })
  assert.deepEqual(
    made.map(({ conversation, utterances }) => [conversation, utterances]),
    [
      ['c1', ['u1']],
      ['c2', ['u3']],
    ],
  )
  assert.deepEqual(
    (await plan({ speaker: 'Ada' })).made.map(({ id }) => id),
    made.map(({ id }) => id),
  )
})

test('an undo in one derivation affects that derivation’s memories and those derived from them', async () => {
  const { utterances, downstream, made } = await plan({ derivation: 'new' })
  assert.deepEqual(utterances, ['u3', 'u4'])
  assert.deepEqual(downstream, { boxes: [], facts: ['f3'], entries: ['n1'] })
  assert.deepEqual([made.length, made[0]?.derivation], [1, 'new'])
})

test('undone utterances are not undone again, except after an undo in one derivation', async () => {
  const first = (await plan({ conversation: 'c1' })).made[0] as EvidenceRetracted
  assert.deepEqual((await plan({ speaker: 'Ada' }, [...talk, first])).utterances, ['u3'])
  const partly = { ...first, derivation: 'new' }
  assert.deepEqual((await plan({ speaker: 'Ada' }, [...talk, partly])).utterances, ['u1', 'u3'])
})

test('an undo without a cause is refused, since it would undo everything', async () => {
  await assert.rejects(plan({}), (error) => isLoomlogError(error, 'input-invalid'))
})
