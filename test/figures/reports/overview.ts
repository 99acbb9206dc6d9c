/** The table of docs/measured.md. */
import answers from '../../../docs/figures/answers.json' with { type: 'json' }
import corrections from '../../../docs/figures/corrections.json' with { type: 'json' }
import encryption from '../../../docs/figures/encryption.json' with { type: 'json' }
import faults from '../../../docs/figures/faults.json' with { type: 'json' }
import firstSteps from '../../../docs/figures/first-steps.json' with { type: 'json' }
import imports from '../../../docs/figures/import.json' with { type: 'json' }
import ingest from '../../../docs/figures/ingest.json' with { type: 'json' }
import inspector from '../../../docs/figures/inspector.json' with { type: 'json' }
import kafkaIngest from '../../../docs/figures/kafka-ingest.json' with { type: 'json' }
import load from '../../../docs/figures/load.json' with { type: 'json' }
import locomo from '../../../docs/figures/locomo.json' with { type: 'json' }
import log from '../../../docs/figures/log.json' with { type: 'json' }
import memory from '../../../docs/figures/memory.json' with { type: 'json' }
import moved from '../../../docs/figures/moved.json' with { type: 'json' }
import readers from '../../../docs/figures/readers.json' with { type: 'json' }
import recall from '../../../docs/figures/recall.json' with { type: 'json' }
import replay from '../../../docs/figures/replay.json' with { type: 'json' }
import replayGrowth from '../../../docs/figures/replay-growth.json' with { type: 'json' }
import start from '../../../docs/figures/start.json' with { type: 'json' }
import subscribers from '../../../docs/figures/subscribers.json' with { type: 'json' }
import tokens from '../../../docs/figures/tokens.json' with { type: 'json' }
import tokensLive from '../../../docs/figures/tokens-live.json' with { type: 'json' }
import { type Block, count, percent, share, table, time } from '../blocks.ts'
import type { Figures } from '../provenance.ts'

type Row = readonly [subject: string, result: string, command: string]

const crowded = recall.recall['10000 in 20000']
const recalledWithin1000 = (method: keyof typeof locomo.methods) =>
  share(locomo.methods[method].recallAtBudget['1-4']['1000'])
const { live } = tokensLive

function rightly(memory: keyof typeof answers.answers): string {
  const { right, questions } = answers.answers[memory]['300'].all
  return share(right / questions, 2)
}
const { pronoun, relativeDate, equalsUtterance } = memory.factShares
const { replay: replayed } = replay
const { freshnessMs, rollbackVisibleMs, failures, withoutGeneration, wentBack } = readers.readers
const consistency =
  withoutGeneration + wentBack === 0
    ? 'each answer from one generation'
    : `${withoutGeneration} answers without a generation, ${wentBack} older than the reader's previous one`
const { sqlite, kafka } = log
const derivations = Object.values(corrections.corrections)
const correctionFaults = derivations.flatMap((each) => [...each.newMissing, ...each.oldLeft, ...each.othersLost])

const { plain, encrypted } = encryption.messagesPerSecond
const { plain: ofPlain, encrypted: ofEncrypted } = encryption.recalls

const rows: readonly Row[] = [
  ['`npm ci` in a fresh clone', time(firstSteps.installMs), ''],
  ['`npm run demo`', time(firstSteps.demoMs), `${firstSteps.demoUtterances} utterances`],
  ['`npm test`', time(firstSteps.testMs), `${count(firstSteps.tests)} tests, with Kafka`],
  [
    'the embedded memory of a new process, from its import to the first `add` (target: 1 s; in the folder of an earlier process 300 ms); its first recall after that',
    `${time(start.cold['import to first add'].median)}; ${time(start.warm['import to first add'].median)}; recall ${time(start.cold['first recall'].median)}`,
    `\`${start.command}\``,
  ],
  [
    `${count(imports.messages)} messages in ${count(imports.spaces)} spaces, ingested and derived, beside the same in one space`,
    `${count(imports.manySpaces.messagesPerSecond)} beside ${count(imports.oneSpace.messagesPerSecond)} messages a second: ${share(imports.rateRatio, 2)} of the rate (target: .8); ${count(imports.manySpaces.peakMemoryBytes / 1e6)} beside ${count(imports.oneSpace.peakMemoryBytes / 1e6)} MB of memory at most. The plan of a file of ${count(imports.largeFile.bytes / 1e6)} MB: ${time(imports.largeFile.ms)}, ${count(imports.largeFile.peakMemoryBytes / 1e6)} MB`,
    `\`${imports.command}\``,
  ],
  [
    `five LoCoMo conversations, ${count(memory.utterances)} utterances, ingested and derived`,
    `${time(ingest.ingestMs)}, ${count(ingest.utterancesPerSecond)} utterances a second; ${count(ingest.peakMemoryBytes / 1e6)} MB of memory at most, ${(ingest.bytesPerUtterance / 1e3).toFixed(1)} KB of disk an utterance. Its ${count(ingest.texts)} distinct texts embedded alone: ${time(ingest.embeddingMs)}`,
    `\`${ingest.command}\``,
  ],
  [
    'the same on Kafka',
    `${time(kafkaIngest.ms)} (${kafkaIngest.note}), ${kafkaIngest.sameDump ? 'the same' : 'another'} dump`,
    '`loomlog ingest FILE --format locomo`, then `loomlog dump --hash`, on either log',
  ],
  [
    'boxes of these conversations',
    `${memory.boxes}, ${memory.utterancesPerBox.toFixed(1)} utterances on average`,
    `\`${memory.command}\`${aside(memory)}`,
  ],
  [
    'facts that hold a pronoun, hold a relative date, or equal an utterance',
    `${percent(pronoun)}, ${percent(relativeDate)}, ${percent(equalsUtterance, 1)} of ${count(memory.facts)}`,
    'the same command',
  ],
  [
    'evidence recalled within 1,000 tokens, weights learned on other conversations (LoCoMo, categories 1–4)',
    `${recalledWithin1000('loomlog')}; BM25 ${recalledWithin1000('bm25 by turn, one turn either side')}; a linear score ${recalledWithin1000('linear score, left-out weights')}`,
    `\`${locomo.command}\`; all results in [packages/recall](../packages/recall/README.md)${aside(locomo)}`,
  ],
  [
    `two conversations, ${replayed.utterances} utterances, derived again with every answer recorded`,
    `${replayed.sameEvents ? 'the same' : 'other'} events, ${replayed.asks} asks; ${time(1_000 * replayed.seconds.whole)}, ${replayed.speedup.toFixed(0)} times as fast as the first derivation with a model of 200 ms, and ${replayed.ratioToFloor.toFixed(1)} times as long as reading the log and writing the views (target: 2; ${replay.note}; [the obstacles](decisions/0003-recorded-answers.md))`,
    `\`${replay.command}\``,
  ],
  [
    `${count(encryption.messages)} messages in ${count(encryption.spaces)} spaces, ingested and derived by rules into an encrypted log, beside a plain one (target: .85; a recall from memory 1.2 times)`,
    `${count(encrypted)} beside ${count(plain)} messages a second: ${share(encryption.rateRatio, 2)} of the rate; a recall p50 ${time(ofEncrypted.warm.p50Ms)} beside ${time(ofPlain.warm.p50Ms)}, the first of a process ${time(ofEncrypted.cold.p50Ms)} beside ${time(ofPlain.cold.p50Ms)}`,
    `\`${encryption.command}\``,
  ],
  [
    `the inspector in Chromium on a conversation of ${count(inspector.utterances)} utterances (targets: 1 s, 50 ms, 300 ms)`,
    `first rows ${time(inspector.firstRowsMs.p50Ms)} after a reload; frames while it scrolls p50 ${time(inspector.frameMs.p50Ms)}, p99 ${time(inspector.frameMs.p99Ms)}, ${time(inspector.frameMs.mostMs)} at most; an utterance on the page ${time(inspector.delayMs.p50Ms)} after the reply to its append`,
    `\`${inspector.command}\``,
  ],
  [
    `${list(replayGrowth.growth.map((each) => count(each.utterances)))} utterances derived again, every answer recorded`,
    `${Math.max(...replayGrowth.growth.map((each) => each.asks))} asks; ${list(replayGrowth.growth.map((each) => count(each.utterancesPerSecond)))} utterances a second`,
    `\`${replayGrowth.command}\``,
  ],
  [
    'two readers, one recall a second each, while two writers write and a generation is derived, promoted and rolled back',
    `${failures.length} failures, ${consistency}; the rollback visible after ${time(rollbackVisibleMs)} (target: 1 s); time until an utterance is found, p99, ${freshnessMs.ratioP99.toFixed(1)} times as long as before (target: 1.5; ${readers.note})`,
    `\`${readers.command}\``,
  ],
  [
    `${count(subscribers.readers)} readers of the feed on one gateway (SSE, ${subscribers.spaces} spaces), ${subscribers.rate} events a second for ${subscribers.seconds} s`,
    `${count(subscribers.expected - subscribers.received)} of ${count(subscribers.expected)} missed; from the append, its commit included, to the reader p50 ${time(subscribers.p50Ms)}, p99 ${time(subscribers.p99Ms)}; ${count(subscribers.peakMb)} MB of memory at most`,
    `\`${subscribers.command}\``,
  ],
  [
    'utterances a second through a processor that does nothing, on sqlite',
    `${count(sqlite.utterancesPerSecond)}; ${share(sqlite.ratioToFloor, 2)} of a bare loop, ${share(sqlite.ratioToFloorWithState, 2)} of a bare loop that writes state`,
    `\`${log.command}\``,
  ],
  [
    'the same processor on Kafka',
    `${count(kafka.utterancesPerSecond)}; ${share(kafka.ratioToFloor, 2)} of a bare kafkajs loop (target: .8), ${share(kafka.ratioToFloorWithState, 2)} of one that writes state; neither decodes. Kafka Streams in Java without state: ${count(kafka.streamsPerSecond)} (${log.note})`,
    'the same command; more in [packages/log/kafka](../packages/log/kafka/README.md)',
  ],
  [
    `${load['many-spaces'].spaces} spaces and a model of ${load['many-spaces'].modelMs} ms, ${load['many-spaces'].maxConcurrent} calls at once, in a stage made up for this bench: one ask an utterance, known from the utterance alone. loomlog's own stages are not measured here`,
    `${share(load['many-spaces'].shareOfAllowed, 2)} of the rate that the limit allows; ${share(load['one-space'].shareOfAllowed, 2)} in one space of ${count(load['one-space'].utterancesOfASpace)} utterances; ${share(load['one-slow-space'].shareOfAllowed, 2)} beside a space whose model takes ${time(load['one-slow-space'].slow.modelMs)}`,
    `\`${load.command}\``,
  ],
  [
    `recall in a space of 10,000 memories, in a shard of 20,000 (target: p50 20 ms, p99 60 ms; cold 120 ms; 60 a second)`,
    `p50 ${time(crowded.warm.p50Ms)}, p99 ${time(crowded.warm.p99Ms)}; ${crowded.sixteen.perSecond} a second by sixteen callers; p99 ${time(crowded.busy.p99Ms)} while memories come in to another space of the shard; p50 ${time(crowded.cold.p50Ms)} where the space is not in memory. Without the cache p50 ${time(crowded.floors.uncached.p50Ms)}; the nearest and the full-text search alone in SQLite, p50 ${time(crowded.floors.sqliteFts5.p50Ms)}`,
    `\`${recall.command}\``,
  ],
  [
    `questions that a reader answers rightly from a context of 300 tokens; ${count(answers.messages)} messages in one space, recorded answers of a language model (target: .92)`,
    `fusion of the messages ${rightly('fusion')}, by rules ${rightly('rules')}, with a model ${rightly('model')}, and with one for the question too ${rightly('understood')}; ${share(answers.model.perUtterance.all.calls)} calls and ${count(answers.model.perUtterance.all.tokens)} tokens an utterance (target: .085, 210)`,
    `\`npm run eval -- answers\`; [more](../test/eval/answers/README.md#measured)${aside(answers)}`,
  ],
  [
    `calls and tokens an utterance with a model: five LoCoMo conversations, every stage, prompts, schemas and answers counted; a fake endpoint answers (target: .07, 200)`,
    `${share(tokens.all.calls)} calls, ${count(tokens.all.tokens)} tokens`,
    `\`${tokens.command}\`${aside(tokens)}`,
  ],
  [
    'one of them as live conversations of eight lines, with a minute to three days between two',
    `${list(live.map(({ pauseMinutes }) => String(pauseMinutes)))} minutes without a line until the space pauses: ${list(live.map(({ calls }) => share(calls, 2)))} calls and ${list(live.map(({ tokens }) => count(tokens)))} tokens`,
    `\`${tokensLive.command}\`${aside(tokensLive)}`,
  ],
  [
    `a prompt that moves ${percent(moved.moved.boundariesMoved)} of the boundaries of five conversations: asks paid again`,
    `facts ${share(moved.moved.facts, 2)}, links ${share(moved.moved.links, 2)}, consolidation ${share(moved.moved.consolidation, 2)} (target: .30, .35, .60)`,
    `\`${moved.command}\`; \`--part spread\` for other boundaries${aside(moved)}`,
  ],
  [
    `${corrections.planted} corrections, before re-derivations with other boundaries, other words, and both`,
    `${correctionFaults.length} lost in ${derivations.length} derivations`,
    `\`${corrections.command}\`${aside(corrections)}`,
  ],
  [
    `killed at ${faults.namedPoints} named points and at ${faults.randomKills} random moments of the ingest`,
    'the dump of an undisturbed run',
    `\`${faults.command}\`${aside(faults)}`,
  ],
]

/** In the cell of the command: the commit of the figures, if the code under them has changed since. */
function aside({ commit, stale }: Figures): string {
  return stale === undefined ? '' : `; measured on ${commit}, [changed since](figures/README.md)`
}

function list(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

export const overviewBlocks: readonly Block[] = [
  { file: 'docs/measured.md', name: 'all', lines: table(['subject', 'result', 'command'], rows) },
]
