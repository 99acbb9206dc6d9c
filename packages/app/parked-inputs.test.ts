import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { InputParked, ParkedInputRetried } from '@loomlog/schemas/events'
import { forgetTexts } from '@loomlog/text-caches'
import { ParkedInputs } from './parked-inputs.ts'

async function parkedTopic(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-parked-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'parked', partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const append = async (...events: readonly (InputParked | ParkedInputRetried)[]) => {
    for (const event of events)
      await log.append('parked', [{ key: 't/s', value: codec.encode(event), timestamp: event.at }])
  }
  const inputs = new ParkedInputs({ log, codec }, ({ input, attempts }) => `${input} ${attempts}`)
  const open = async () => {
    await inputs.read()
    return inputs.open
  }
  return { log, inputs, append, open }
}

const place = { tenant: 't', space: 's', stage: 'fact-extractor', derivation: 'd1', at: 1 }

function parked(input: string, attempts: number, rest: Partial<InputParked> = {}): InputParked {
  const where = { topic: 'topic-shifts.d0', partition: 0, offset: 0, value: Uint8Array.of(1), keyId: null }
  const why = { code: 'unanswered', reason: 'no JSON', attempts } as const
  return { type: 'InputParked', id: `${input}-${attempts}-${rest.code}`, ...place, ...where, ...why, input, ...rest }
}

function retried(input: string, attempts: number, rest: Partial<ParkedInputRetried> = {}): ParkedInputRetried {
  return { type: 'ParkedInputRetried', ...place, input, attempts, ...rest }
}

test('a retry that succeeded removes its input, and no other', async (t) => {
  const { append, open } = await parkedTopic(t)
  await append(parked('a', 1), parked('b', 1), parked('a', 1, { derivation: 'd2' }))
  assert.deepEqual(await open(), ['a 1', 'b 1', 'a 1'])
  await append(retried('a', 2))
  assert.deepEqual(await open(), ['b 1', 'a 1'])
  await append(retried('a', 2, { derivation: 'd2' }), retried('b', 2, { space: 'other' }))
  assert.deepEqual(await open(), ['b 1'])
})

test('a retry that failed replaces the attempt before, also where it fails for another reason', async (t) => {
  const { append, open, inputs } = await parkedTopic(t)
  await append(parked('a', 1), parked('a', 2))
  assert.deepEqual(await open(), ['a 2'])
  await append(parked('a', 3, { code: 'invalid' }))
  assert.deepEqual(await open(), ['a 3'])
  await append(parked('a', 1, { code: 'conflict' }))
  assert.deepEqual(await open(), ['a 3', 'a 1'])
  assert.deepEqual(inputs.counts, { unanswered: 2, invalid: 1, conflict: 1 })
})

test('after a forgetting, also during a reading, only the inputs that the log still has are open, and no count goes down', async (t) => {
  const { log, append, open, inputs } = await parkedTopic(t)
  await append(parked('a', 1), parked('b', 1))
  assert.deepEqual(await open(), ['a 1', 'b 1'])
  await log.erase([{ topic: 'parked', partition: 0, offset: 0 }])
  const reading = open()
  forgetTexts()
  assert.deepEqual(await reading, ['b 1'])
  assert.deepEqual(inputs.counts, { unanswered: 2 })
  await append(parked('c', 1))
  assert.deepEqual(await open(), ['b 1', 'c 1'])
  assert.deepEqual(inputs.counts, { unanswered: 3 })
})
