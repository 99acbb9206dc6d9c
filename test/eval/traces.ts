/**
 * Measures trace-weaver. On planted stories: precision and recall of pairs of events, by rules and with a model whose
 * answers are all right. On real conversations, by rules: the number of events and traces, their length, and whether
 * one trace takes nearly all events.
 *
 * npm run eval -- traces [--data locomo5.json] [--json FILE] [--seed 7] [--show 5] [--set linkScore=0.5]
 *
 * LoCoMo has no reference traces, but its questions are a substitute: utterances of different sessions that answer one
 * question together are often about one matter. `together` is the share of such pairs in one trace, and `by chance` the
 * share of all pairs of utterances from different sessions. Both count only utterances with events.
 */
import { parseArgs } from 'node:util'
import { writeResult } from '../figures/result.ts'
import { seededRandom } from '../seeded-random.ts'
import { rounded as round } from './agreement.ts'
import { measurePlanted } from './traces/planted-stories.ts'
import { type Story, storiesFromLocomo, storyFromLines } from './traces/stories.ts'
import { type WeaveResult, weave } from './traces/weave.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    show: { type: 'string', default: '5' },
    set: { type: 'string', multiple: true, default: [] },
  },
})
const parameters = Object.fromEntries(
  options.set.map((each) => each.split('=')).map(([name, value]) => [name, Number(value)]),
)
const planted = await measurePlanted(parameters)
console.log('planted stories: pairs of events in one trace')
console.table(planted)
const real = options.data === undefined ? null : await measureReal(options.data)
await writeResult(options.json, 'eval -- traces', { planted, ...real })

interface MeasuredStory extends WeaveResult {
  readonly story: Story
  readonly together: { readonly hits: number; readonly of: number }
  readonly chance: number
}

async function measureReal(file: string) {
  const stories = file.endsWith('.jsonl') ? [storyFromLines(file)] : storiesFromLocomo(file)
  const measured: MeasuredStory[] = []
  for (const story of stories) {
    const woven = await weave(story.boxes, { parameters })
    measured.push({ story, ...woven, ...pairs(story, woven) })
  }
  const rows = measured.map(rowOf)
  console.table(rows)
  const hits = measured.reduce((sum, each) => sum + each.together.hits, 0)
  const of = measured.reduce((sum, each) => sum + each.together.of, 0)
  const together = round(hits / Math.max(1, of))
  const byChance = round(measured.reduce((sum, each) => sum + each.chance * each.together.of, 0) / Math.max(1, of))
  console.log(`pairs that answer one question: ${hits} of ${of} in one trace (${together}); by chance ${byChance}`)
  show(measured)
  return { rows, together, byChance, seed: options.seed }
}

function rowOf({ story, events, traces, together, chance }: MeasuredStory) {
  const lengths = [...traces.values()].map((links) => links.length)
  const linked = new Set([...traces.values()].flat().map((link) => link.event))
  return {
    story: story.name,
    boxes: story.boxes.length,
    events: events.size,
    traces: traces.size,
    averageLength: round(lengths.reduce((sum, each) => sum + each, 0) / Math.max(1, lengths.length)),
    maxLength: Math.max(0, ...lengths),
    inATrace: round(linked.size / Math.max(1, events.size)),
    largestShare: round(Math.max(0, ...lengths) / Math.max(1, events.size)),
    together: `${together.hits}/${together.of}`,
    byChance: round(chance),
  }
}

function pairs(story: Story, { events, traces }: WeaveResult) {
  const sessionOf = new Map(story.boxes.flatMap((box) => box.utterances.map((each) => [each.id, box.conversation])))
  const tracesOf = new Map<string, Set<string>>()
  for (const { sources } of events.values())
    for (const source of sources) tracesOf.set(source, tracesOf.get(source) ?? new Set())
  for (const link of [...traces.values()].flat()) {
    for (const source of events.get(link.event)?.sources ?? []) tracesOf.get(source)?.add(link.trace)
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

function show(measured: readonly MeasuredStory[]): void {
  const random = seededRandom(Number(options.seed))
  const all = measured.flatMap(({ events, traces }) => [...traces.values()].map((links) => ({ links, events })))
  console.log(`\nseed ${options.seed}`)
  for (let left = Number(options.show); left > 0 && all.length > 0; left--) {
    const [drawn] = all.splice(Math.floor(random() * all.length), 1)
    if (!drawn) return
    console.log(`\n${drawn.links.at(-1)?.title} (${drawn.links.length})`)
    for (const link of drawn.links) {
      const event = drawn.events.get(link.event)
      const day = new Date(event?.saidAt ?? 0).toISOString().slice(0, 10)
      console.log(`  ${day}  ${link.score.toFixed(2)}  ${event?.text}`)
    }
  }
}
