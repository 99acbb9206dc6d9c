/** Derives facts and traces from boxes, without a log: facts by rules, links by rules or by the given answers. */
import { factExtractor } from '@loomlog/fact-extractor/processor'
import { toInt8 } from '@loomlog/models/quantize'
import { wordEmbedder } from '@loomlog/models/words'
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { DerivedEvent, EventLinked, FactRecorded, WindowExtracted } from '@loomlog/schemas/events'
import { traceWeaver } from '@loomlog/trace-weaver/processor'
import type { Parameters } from '@loomlog/trace-weaver/step'
import type { Story } from './stories.ts'

export interface WeaveResult {
  /** By id. */
  readonly events: ReadonlyMap<string, FactRecorded>
  readonly traces: ReadonlyMap<string, readonly EventLinked[]>
  /** The number of asks about links. */
  readonly asks: number
}

type Options = Pick<HarnessOptions<Parameters>, 'parameters' | 'answers'>

export async function weave(boxes: Story['boxes'], options: Options): Promise<WeaveResult> {
  const facts = (await harness(factExtractor).give(...boxes)).filter(
    (event): event is FactRecorded | WindowExtracted =>
      event.type === 'FactRecorded' || event.type === 'WindowExtracted',
  )
  const embedder = wordEmbedder()
  const texts = [...new Set(facts.flatMap((event) => (event.type === 'FactRecorded' ? [event.text] : [])))]
  const vectors = await embedder.embed(texts)
  await embedder.close()
  const embedded = new Map(texts.map((text, index) => [text, [...toInt8(vectors[index] ?? new Float32Array())]]))
  const run = harness(traceWeaver, { ...options, embedding: (text) => embedded.get(text) ?? [] })
  const made: readonly DerivedEvent[] = await run.give(...facts)
  const links = made.filter((event): event is EventLinked => event.type === 'EventLinked')
  const isWoven = new Set(
    [...run.state.keys()]
      .map((key) => key.split('\u001f'))
      .flatMap(([, record, id]) => (record === 'woven' && id !== undefined ? [id] : [])),
  )
  const events = facts.filter((event): event is FactRecorded => event.type === 'FactRecorded' && isWoven.has(event.id))
  return {
    events: new Map(events.map((event) => [event.id, event])),
    traces: Map.groupBy(links, (link) => link.trace),
    asks: run.asked.filter(({ task }) => task === 'verify-links').length,
  }
}
