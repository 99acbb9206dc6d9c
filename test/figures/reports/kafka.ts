/** The tables of packages/log/kafka/README.md. */
import load from '../../../docs/figures/load.json' with { type: 'json' }
import log from '../../../docs/figures/log.json' with { type: 'json' }
import { type Block, count, share, table, time } from '../blocks.ts'

const file = 'packages/log/kafka/README.md'
const { kafka, sqlite } = log

const throughput = table(
  ['', 'utterances a second', 'µs of the processor', 'of the loop', 'of the loop with state'],
  [
    [
      'loomlog on Kafka',
      count(kafka.utterancesPerSecond),
      count(kafka.cpuMicros.loomlog),
      share(kafka.ratioToFloor, 2),
      share(kafka.ratioToFloorWithState, 2),
    ],
    ['a bare kafkajs loop', count(kafka.floorPerSecond), count(kafka.cpuMicros.floor), '', ''],
    [
      'the loop with a state record for each utterance',
      count(kafka.floorWithStatePerSecond),
      count(kafka.cpuMicros.floorWithState),
      '',
      '',
    ],
    ['Kafka Streams (Java, exactly_once_v2), without state', count(kafka.streamsPerSecond), '', '', ''],
    [
      'loomlog on sqlite, against its own loop',
      count(sqlite.utterancesPerSecond),
      count(sqlite.cpuMicros.loomlog),
      share(sqlite.ratioToFloor, 2),
      share(sqlite.ratioToFloorWithState, 2),
    ],
  ],
)

const { restore } = load
const slow = load['slow-model']
const hot = load['hot-space']
const underLoad = table(
  ['', ''],
  [
    [
      `a partition with ${count(restore.keys)} keys of state is taken over`,
      `in ${(restore.withCopyMs / 1_000).toFixed(2)} s with the local copy, in ${(restore.withoutCopyMs / 1_000).toFixed(2)} s from the changelog`,
    ],
    [
      `a model of ${time(slow.modelMs)} under a session of ${time(slow.sessionMs)}`,
      `${slow.utterances} utterances, ${slow.asks} asks, ${slow.leases} leases of ${slow.partitions} partitions: ${slow.leases === slow.partitions ? 'none' : slow.leases - slow.partitions} lost`,
    ],
    [
      `one space at ${hot.utterancesPerSecond} utterances a second over ${hot.conversations} conversations, for ${time(1_000 * hot.seconds)}`,
      `lag of ${Math.max(...hot.mostLag)} utterances at most; p99 ${time(hot.p99Ms)} from the append to the box`,
    ],
  ],
)

export const kafkaBlocks: readonly Block[] = [
  { file, name: 'throughput', lines: throughput },
  { file, name: 'load', lines: underLoad },
]
