/**
 * Measures trace-weaver's rules on real conversations: the number of events and traces, their length, and whether one trace swallows
 * everything. Boxes are fixed windows of a session, so that the result doesn't depend on topic-loom.
 *
 *     npx node test/eval/traces.ts --data locomo5.json [--json FILE] [--seed 7] [--show 5] [--set linkScore=0.5]
 *
 * LoCoMo has no reference traces, but its questions come near: utterances of different sessions that answer one question together are often
 * about one matter. `together` is the share of such pairs in one trace; `by chance` the share of any two utterances with events from
 * different sessions.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { toInt8 } from '@loomlog/models/quantize'
import { wordEmbedder } from '@loomlog/models/words'
import { harness } from '@loomlog/runtime/harness'
import type { BoxSealed, BoxUtterance, DerivedEvent, EventLinked, EventRecorded } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { traceWeaver } from '@loomlog/trace-weaver/processor'
import { seeded } from '../seeded.ts'

const utterancesPerBox = 5

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    show: { type: 'string', default: '5' },
    set: { type: 'string', multiple: true, default: [] },
  },
})
if (options.data === undefined) throw new Error('--data names the file with the conversations')

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
interface Story {
  readonly name: string
  readonly boxes: readonly (BoxSealed & { readonly seq: number })[]
  readonly evidence: readonly (readonly string[])[]
}

interface Woven {
  readonly story: Story
  readonly events: readonly EventRecorded[]
  readonly traces: ReadonlyMap<string, readonly EventLinked[]>
  readonly together: { readonly hits: number; readonly of: number }
  readonly chance: number
}

const parameters = Object.fromEntries(
  options.set.map((each) => each.split('=')).map(([name, value]) => [name, Number(value)]),
)
const stories = options.data.endsWith('.jsonl') ? [fromLines(options.data)] : fromLocomo(options.data)
const random = seeded(Number(options.seed))
const embedder = wordEmbedder()
const woven: Woven[] = []
for (const story of stories) woven.push({ story, ...(await weave(story)) })
await embedder.close()

const rows = woven.map(({ story, events, traces, together, chance }) => {
  const lengths = [...traces.values()].map((links) => links.length)
  const linked = new Set([...traces.values()].flat().map((link) => link.event))
  return {
    story: story.name,
    boxes: story.boxes.length,
    events: events.length,
    traces: traces.size,
    averageLength: round(lengths.reduce((sum, each) => sum + each, 0) / Math.max(1, lengths.length)),
    maxLength: Math.max(0, ...lengths),
    inATrace: round(linked.size / Math.max(1, events.length)),
    largestShare: round(Math.max(0, ...lengths) / Math.max(1, events.length)),
    together: `${together.hits}/${together.of}`,
    byChance: round(chance),
  }
})
console.table(rows)
const hits = woven.reduce((sum, each) => sum + each.together.hits, 0)
const of = woven.reduce((sum, each) => sum + each.together.of, 0)
const byChance = woven.reduce((sum, each) => sum + each.chance * each.together.of, 0) / Math.max(1, of)
console.log(
  `pairs that answer one question: ${hits} of ${of} in one trace (${round(hits / Math.max(1, of))}); by chance ${round(byChance)}`,
)
show()
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ rows, seed: options.seed }, null, 2)}\n`)

async function weave(story: Story): Promise<Omit<Woven, 'story'>> {
  const vectors = await embedded(story)
  const run = harness(traceWeaver, { parameters, embedding: (text) => vectors.get(text) ?? [] })
  const made: readonly DerivedEvent[] = await run.give(...story.boxes)
  const events = made.filter((event): event is EventRecorded => event.type === 'EventRecorded')
  const traces = Map.groupBy(
    made.filter((event): event is EventLinked => event.type === 'EventLinked'),
    (link) => link.trace,
  )
  return { events, traces, ...pairs(story, events, traces) }
}

/** A first run finds the texts to embed, because events don't depend on links. */
async function embedded(story: Story): Promise<ReadonlyMap<string, readonly number[]>> {
  const made = await harness(traceWeaver).give(...story.boxes)
  const texts = [...new Set(made.flatMap((event) => (event.type === 'EventRecorded' ? [event.text] : [])))]
  const vectors = await embedder.embed(texts)
  return new Map(texts.map((text, index) => [text, [...toInt8(vectors[index] ?? new Float32Array())]]))
}

function pairs(story: Story, events: readonly EventRecorded[], traces: ReadonlyMap<string, readonly EventLinked[]>) {
  const sessionOf = new Map(story.boxes.flatMap((box) => box.utterances.map((each) => [each.id, box.conversation])))
  const tracesOf = new Map<string, Set<string>>()
  const byId = new Map(events.map((event) => [event.id, event]))
  for (const event of events)
    for (const source of event.sources) tracesOf.set(source, tracesOf.get(source) ?? new Set())
  for (const link of [...traces.values()].flat()) {
    for (const source of byId.get(link.event)?.sources ?? []) tracesOf.get(source)?.add(link.trace)
  }
  const share = (list: readonly (readonly [string, string])[]) => ({
    hits: list.filter(([a, b]) => [...(tracesOf.get(a) ?? [])].some((trace) => tracesOf.get(b)?.has(trace))).length,
    of: list.length,
  })
  const across = (ids: readonly string[]) =>
    ids
      .flatMap((a, i) => ids.slice(i + 1).map((b) => [a, b] as const))
      .filter(([a, b]) => sessionOf.get(a) !== sessionOf.get(b))
  const together = share(story.evidence.flatMap((ids) => across(ids.filter((id) => tracesOf.has(id)))))
  const all = share(across([...tracesOf.keys()]))
  return { together, chance: all.hits / Math.max(1, all.of) }
}

function show(): void {
  const all = woven.flatMap(({ events, traces }) => {
    const byId = new Map(events.map((event) => [event.id, event]))
    return [...traces.values()].map((links) => ({ links, byId }))
  })
  console.log(`\nseed ${options.seed}`)
  for (let left = Number(options.show); left > 0 && all.length > 0; left--) {
    const [drawn] = all.splice(Math.floor(random() * all.length), 1)
    if (!drawn) return
    console.log(`\n${drawn.links.at(-1)?.title} (${drawn.links.length})`)
    for (const link of drawn.links) {
      const event = drawn.byId.get(link.event)
      const day = new Date(event?.toldAt ?? 0).toISOString().slice(0, 10)
      console.log(`  ${day}  ${link.score.toFixed(2)}  ${event?.text}`)
    }
  }
}

function fromLocomo(file: string): readonly Story[] {
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
    return { name, boxes: windows(`s${index}`, sessions), evidence }
  })
}

function fromLines(file: string): Story {
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
  return { name: file, boxes: windows('demo', sessions), evidence: [] }
}

function windows(
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
        cut: 'size' as const,
        topic: '',
        keywords: [],
        startedAt: first,
        endedAt: last?.at ?? first,
        keyId: null,
      }
    })
  })
}

/** "1:56 pm on 8 May, 2023" */
function sessionTime(text: string): number {
  const match = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/.exec(text)
  if (!match) throw new Error(`no session date: ${text}`)
  const [, hour, minute, half, day, month, year] = match
  const date = Date.parse(`${day} ${month} ${year} 00:00:00 UTC`)
  return date + (((Number(hour) % 12) + (half === 'pm' ? 12 : 0)) * 60 + Number(minute)) * 60_000
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
