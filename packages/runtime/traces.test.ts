/** Records with a trace on their way through a stage. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { recordSpans } from '@loomlog/telemetry/recorded-spans'
import { boxes, caughtUp, recordOf, run, until, type World, world } from './fixture.ts'
import { unthrottled } from './throttle.ts'
import { heldModel, judgingStep, loom, modelReply, toyModel, utterance } from './toy-processors.ts'

const traces = ['a', 'b'].map((digit) => digit.repeat(32))
const name = 'process utterances (topic-loom)'

/** One utterance for each trace, in conversations of their own, appended now. */
async function appendTraced({ log, codec }: World, timestamp = Date.now()): Promise<void> {
  const records = traces.map((trace, n) => {
    const event: UtteranceAppended = utterance(String(n), { conversation: trace, text: trace })
    return { ...recordOf(codec, event), timestamp, traceparent: `00-${trace}-${'c'.repeat(16)}-01` }
  })
  await log.append('utterances', records)
}

async function tracesOfOutputs(opened: World): Promise<readonly (string | undefined)[]> {
  await caughtUp(opened)
  return (await opened.records(boxes)).flatMap(({ key, traceparent }) => (key === null ? [] : [traceparent]))
}

async function derived(t: TestContext, timestamp: number, isLive: boolean) {
  const spans = recordSpans(t)
  const opened = await world(t)
  await appendTraced(opened, timestamp)
  const { model } = toyModel((text) => modelReply({ label: text }))
  const running = await run(opened, loom(judgingStep), { model, throttle: { ...unthrottled, isLive } })
  const outputs = await tracesOfOutputs(opened)
  await running.close()
  return { spans: spans(), outputs }
}

test('outputs of one commit carry the trace of their own cause, in a span that ends with the commit', async (t) => {
  const { spans, outputs } = await derived(t, Date.now(), true)
  assert.deepEqual(
    spans.map((span) => [span.name, span.parentSpanId, span.error]),
    traces.map(() => [name, 'c'.repeat(16), null]),
  )
  assert.deepEqual([...outputs].sort(), spans.map(({ traceparent }) => traceparent).sort())
  for (const trace of traces) assert.ok(outputs.some((traceparent) => traceparent?.includes(trace)))
})

test('a background derivation, and one of old records, has no spans and writes no trace', async (t) => {
  for (const { spans, outputs } of [await derived(t, Date.now(), false), await derived(t, 1, true)])
    assert.deepEqual([spans, outputs], [[], [undefined, undefined]])
})

test('a record that is processed again after its lease ended is in the same trace, with one output', async (t) => {
  const spans = recordSpans(t)
  const opened = await world(t)
  await appendTraced(opened)
  const held = heldModel()
  const first = await run(opened, loom(judgingStep), { model: held.model })
  await until(() => held.waiting.size === 2, 'the first owner is at work')
  await first.close()
  assert.deepEqual(
    spans().map(({ error }) => error),
    ['uncommitted', 'uncommitted'],
  )
  const { model } = toyModel((text) => modelReply({ label: text }))
  const second = await run(opened, loom(judgingStep), { model })
  const outputs = await tracesOfOutputs(opened)
  await second.close()
  const committed = spans().slice(2)
  assert.deepEqual([...outputs].sort(), committed.map(({ traceparent }) => traceparent).sort())
  for (const trace of traces) assert.equal(spans().filter(({ traceparent }) => traceparent.includes(trace)).length, 2)
})
