/**
 * Corrections through re-derivations. People's facts are corrected during a conversation, in the live memory. Then the
 * history is derived again with other boundaries, in other words, and with both. After each derivation current memories
 * must have the new value, not the old one, and still have the other facts of the same utterance.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { correctionsFor } from '@loomlog/corrections/correct'
import { findGeneration } from '@loomlog/generations/generation-names'
import { type ServingGeneration, servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { conversationPauseAfter, spacePauseAfter, utteranceFrom } from '@loomlog/intake/utterance'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import type { ViewReader } from '@loomlog/views/reader'
import { current } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { documents } from '@loomlog/views/tables/documents'
import { entries } from '@loomlog/views/tables/entries'
import { facts } from '@loomlog/views/tables/facts'
import { links } from '@loomlog/views/tables/links'
import { correctionOutcomes } from '../../../packages/app/generations/correction-outcomes.ts'
import { generationOperations } from '../../../packages/app/generations/operations.ts'
import { type Pipeline, startPipeline } from '../../../packages/app/pipeline.ts'
import type { Environment } from '../../pipeline/loomlog.ts'
import { models, type Plant, plantedAnswer, plants, sentenceFor, utteranceOf } from './planted-facts.ts'

export interface CorrectionCheck {
  /** Corrections whose new value is in no current fact or in no current entry. */
  readonly newMissing: readonly string[]
  /** Current rows with a corrected value: `table: text`. */
  readonly oldLeft: readonly string[]
  /** Other facts of the utterance that are in no current fact. */
  readonly othersLost: readonly string[]
  /** The best outcome of each correction. */
  readonly outcomes: { readonly [outcome: string]: number }
}

const place = { tenant: 'default', space: 'planted' }
const space = 'default/planted'
const perRound = 5
const maxRows = 100_000
const firstAt = Date.UTC(2026, 0, 5)
const minuteMs = 60_000

export type ChecksByDerivation = { readonly [derivation: string]: CorrectionCheck }

/**
 * @param log configures another log than the embedded one
 * @param then called at the end, while the pipeline still runs; the generations have the names in the result
 */
export async function measureCorrections(
  count: number,
  log: Environment = {},
  then: (host: Host) => Promise<void> = async () => {},
): Promise<ChecksByDerivation> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-corrections-'))
  const endpoint = await startFakeEndpoint({ answer: plantedAnswer, dimensions: 16 })
  const host = await openHost(
    configFrom({
      LOOMLOG_DIR: dir,
      LOOMLOG_MODEL: models.first,
      LOOMLOG_MODEL_URL: endpoint.baseUrl,
      LOOMLOG_API_KEY: 'fake-key',
      LOOMLOG_EMBEDDER: 'openai:fake-embedder',
      LOOMLOG_EMBEDDER_DIMENSIONS: '16',
      ...log,
    }),
  )
  const pipeline = await startPipeline(host, {
    conditions: new Conditions({ info() {}, warn() {}, debug() {} }),
    onNews() {},
  })
  try {
    const found = await throughDerivations(plants(count), host, pipeline)
    await then(host)
    return found
  } finally {
    await pipeline.close()
    await host.close()
    await endpoint.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** The later derivations run beside the live memory, like those of `loomlog generation start`. */
async function throughDerivations(all: readonly Plant[], host: Host, pipeline: Pipeline) {
  const { serving, generationReader } = pipeline
  const views = await generationReader.viewsOf(serving)
  await talk(all, host, pipeline, views)
  const found: Record<string, CorrectionCheck> = { first: await kept(all, models.first, { host, serving, views }) }
  for (const name of ['boundariesMoved', 'factsReworded', 'everythingChanged'] as const) {
    const signal = new AbortController().signal
    const settings = { set: [`model=${models[name]}`], from: null, tenant: null, sample: null, spaces: [] }
    const request = {
      ...settings,
      readPrompt: String,
      generation: null,
      name,
      share: null,
      derivedBy: 'servers',
    } as const
    await generationOperations(host).start(request)
    const generation = findGeneration(await readGenerations(host.log, host.codec), name)
    await pipeline.caughtUp({ signal, generation: generation.id, onProgress() {} })
    const again = servingGeneration(generation, host.topics)
    found[name] = await kept(all, models[name], { host, serving: again, views: await generationReader.viewsOf(again) })
  }
  return found
}

/** Whether every derivation holds every correction. */
export function isKept(found: ChecksByDerivation): boolean {
  const faults = Object.values(found).flatMap((each) => [...each.newMissing, ...each.oldLeft, ...each.othersLost])
  return faults.length === 0
}

function caughtUp(pipeline: Pipeline): Promise<void> {
  return pipeline.caughtUp({ signal: new AbortController().signal, onProgress() {} })
}

/**
 * Each round appends utterances, waits for their facts, and corrects one fact of each person. All rounds share two
 * conversations, so these continue after a correction.
 */
async function talk(all: readonly Plant[], host: Host, pipeline: Pipeline, views: ViewReader): Promise<void> {
  const last = new Map<string, UtteranceAppended>()
  let at = firstAt
  for (let from = 0; from < all.length; from += perRound) {
    const round = all.slice(from, from + perRound)
    const utterances = round.flatMap((plant) => {
      const conversation = `talk ${plant.number % 2}`
      const lines = [utteranceOf(plant), `Well, that is number ${plant.number}.`, `Hm, and what of ${plant.number}?`]
      return lines.map((text, index) => {
        at += minuteMs
        const speaker = index === 0 ? plant.person : 'Scout'
        const role = index === 0 ? 'human' : 'agent'
        const given = { conversation, speaker, role, at: new Date(at).toISOString(), text }
        return utteranceFrom(given, place, at)
      })
    })
    for (const each of utterances) last.set(each.conversation, each)
    // Pauses end both waits: that of a boundary for later lines, and that of facts for the end of their window.
    const pauses = [...[...last.values()].map(conversationPauseAfter), ...utterances.slice(-1).map(spacePauseAfter)]
    await appendOnce([...utterances, ...pauses], { ...host, dir: host.config.dir })
    await caughtUp(pipeline)
    for (const plant of round) await correct(plant, host, views, at)
    await caughtUp(pipeline)
  }
}

async function correct(plant: Plant, host: Host, views: ViewReader, at: number): Promise<void> {
  const value = plant.values[plant.corrected]
  const table: Table = plant.by === 'entry' ? entries : facts
  // The text of an entry begins with its title, which quotes other facts.
  const statement = sentenceFor(models.first, plant, plant.corrected, value)
  const [row] = (await currentRows(table, views)).filter(({ text }) => text.endsWith(statement))
  if (!row) throw new Error(`${value} is in none of the ${table.name}: nothing can be corrected`)
  const asking = {
    place: { ...place, principal: null },
    by: plant.person,
    role: 'human',
    reason: null,
    at,
    memory: row.id,
  } as const
  const asked = await correctionsFor(
    plant.better === null
      ? { ...asking, action: 'retract' }
      : { ...asking, action: 'replace', text: sentenceFor(models.first, plant, plant.corrected, plant.better) },
    views,
  )
  await appendOnce(asked, { ...host, dir: host.config.dir })
}

async function currentRows(table: Table, views: ViewReader) {
  return views.scan(table, { space, where: current, limit: maxRows })
}

interface DerivedMemory {
  readonly host: Host
  readonly serving: ServingGeneration
  readonly views: ViewReader
}

async function kept(
  all: readonly Plant[],
  model: string,
  { host, serving, views }: DerivedMemory,
): Promise<CorrectionCheck> {
  const derived: readonly Table[] = [facts, links, entries, documents]
  const rows = await Promise.all(derived.map((table) => currentRows(table, views)))
  const [factRows = [], , entryRows = []] = rows
  const says = (list: typeof factRows, word: string) => list.some(({ text }) => text.includes(word))
  const newMissing: string[] = []
  const oldLeft: string[] = []
  const othersLost: string[] = []
  for (const plant of all) {
    const { values, corrected, better } = plant
    if (better !== null && !(says(factRows, better) && says(entryRows, better))) newMissing.push(better)
    for (const [index, table] of derived.entries()) {
      const old = rows[index]?.filter((row) => JSON.stringify(row).includes(values[corrected])) ?? []
      oldLeft.push(...old.map(({ text }) => `${table.name}: ${text}`))
    }
    for (const [which, value] of values.entries()) {
      const statement = sentenceFor(model, plant, which as Plant['corrected'], value)
      if (which !== corrected && !factRows.some(({ text }) => text === statement)) othersLost.push(statement)
    }
  }
  return { newMissing, oldLeft, othersLost, outcomes: await outcomesIn(host, serving) }
}

async function outcomesIn(host: Host, serving: ServingGeneration): Promise<CorrectionCheck['outcomes']> {
  const counts: Record<string, number> = {}
  for (const { outcome } of await correctionOutcomes(host, serving)) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
