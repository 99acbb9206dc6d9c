/**
 * Planted stories: one of six sessions; look-alikes (another person's boat, the same person's other old wooden thing,
 * the same deed of another person); and unrelated stories in between. Pairs of events of one story should be in one
 * trace, and no other pairs. `recall` is that of derived events, which measures the weaver alone. `recall of lines` is
 * that of all planted lines, so it falls with each lost event.
 */
import { readFileSync } from 'node:fs'
import type { BoxUtterance, FactRecorded } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { Parameters } from '@loomlog/trace-weaver/step'
import { rounded } from '../agreement.ts'
import { boxesOf, type Story } from './stories.ts'
import { type WeaveResult, weave } from './weave.ts'

interface PlantedStories {
  readonly boxes: Story['boxes']
  /** By utterance: its story, if any. */
  readonly storyOf: ReadonlyMap<string, string>
  /** By utterance. */
  readonly sessionOf: ReadonlyMap<string, string>
}

export async function measurePlanted(parameters: Partial<Parameters>) {
  const planted = plantedStories()
  const { boxes, storyOf } = planted
  const rules = await weave(boxes, { parameters })
  const story = (event: FactRecorded) => storyOf.get(event.sources[0] ?? '') ?? event.id
  const byText = new Map([...rules.events.values()].map((event) => [event.text, story(event)]))
  const model = await weave(boxes, { parameters, answers: { 'verify-links': (input) => rightAnswer(input, byText) } })
  const row = (woven: WeaveResult) => ({
    ...storyFigures(woven, story),
    'recall of lines': recallOfLines(woven, planted),
  })
  return { rules: row(rules), 'a model that is right': row(model) }
}

function storyFigures({ events, traces, asks }: WeaveResult, story: (event: FactRecorded) => string) {
  const all = [...events.values()]
  const inTrace = new Map(all.map(({ id }) => [id, new Set<string>()]))
  for (const [trace, links] of traces) for (const { event } of links) inTrace.get(event)?.add(trace)
  const pairs = all
    .flatMap((a, at) => all.slice(at + 1).map((b) => [a, b] as const))
    .filter(([a, b]) => a.conversation !== b.conversation)
  const told = pairs.filter(([a, b]) => story(a) === story(b))
  const linked = pairs.filter(([a, b]) => [...(inTrace.get(a.id) ?? [])].some((trace) => inTrace.get(b.id)?.has(trace)))
  const right = linked.filter(([a, b]) => story(a) === story(b))
  return {
    events: all.length,
    precision: rounded(right.length / Math.max(1, linked.length)),
    recall: rounded(right.length / Math.max(1, told.length)),
    asks,
  }
}

/** The share of the pairs of one story's lines, in different sessions, whose events are in one trace. */
function recallOfLines({ events, traces }: WeaveResult, { storyOf, sessionOf }: PlantedStories): number {
  const tracesOf = new Map([...storyOf.keys()].map((line) => [line, new Set<string>()]))
  for (const [trace, links] of traces) {
    for (const line of links.flatMap(({ event }) => events.get(event)?.sources ?? [])) tracesOf.get(line)?.add(trace)
  }
  const lines = [...storyOf]
  const pairs = lines.flatMap(([a, story], at) =>
    lines
      .slice(at + 1)
      .filter(([b, other]) => other === story && sessionOf.get(a) !== sessionOf.get(b))
      .map(([b]) => [a, b] as const),
  )
  const linked = pairs.filter(([a, b]) => [...(tracesOf.get(a) ?? [])].some((trace) => tracesOf.get(b)?.has(trace)))
  return rounded(linked.length / pairs.length)
}

type Question = {
  readonly events: readonly {
    readonly label: string
    readonly text: string
    readonly candidates: readonly { readonly label: string }[]
  }[]
  readonly matters: readonly { readonly label: string; readonly events: readonly { readonly text: string }[] }[]
}

function rightAnswer(input: Json, storyByText: ReadonlyMap<string, string>): Json {
  const { events, matters } = input as unknown as Question
  const of = new Map(
    [
      ...events.map(({ label, text }) => [label, text] as const),
      ...matters.map(({ label, events }) => [label, events.at(-1)?.text ?? ''] as const),
    ].map(([label, text]) => [label, storyByText.get(text)]),
  )
  const links = events.flatMap(({ label, candidates }) => {
    const same = candidates.filter((candidate) => of.get(candidate.label) === of.get(label))
    return same.map((candidate) => `${label} ${candidate.label}`)
  })
  return { links }
}

function plantedStories(): PlantedStories {
  const rows = readFileSync(new URL('./planted.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const storyOf = new Map<string, string>()
  const sessions: { name: string; at: number; utterances: BoxUtterance[] }[] = []
  for (const [seq, row] of rows.entries()) {
    const [, story = '', speaker = '', text = ''] = /^(\S+) (\S+): (.*)$/.exec(row) ?? []
    const session = sessions.at(-1)
    if (speaker === '') sessions.push({ name: row, at: Date.parse(`${row.split(' ')[1]}T09:00:00Z`), utterances: [] })
    else if (session) {
      const at = session.at + session.utterances.length * 60_000
      session.utterances.push({ id: `u${seq}`, seq, speaker, role: 'human', at, text, attachments: [] })
      if (story !== '-') storyOf.set(`u${seq}`, story)
    }
  }
  const sessionOf = new Map(sessions.flatMap(({ name, utterances }) => utterances.map(({ id }) => [id, name] as const)))
  return { boxes: boxesOf('planted', sessions), storyOf, sessionOf }
}
