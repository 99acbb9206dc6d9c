/**
 * The same workload on Kafka Streams, for comparison: exactly_once_v2, the same topic and broker, outputs of the same
 * size, a thread for each partition. It needs Java 17, and Maven, which builds it once in the folder for temporary
 * files.
 */
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Streams {
  readonly brokers: readonly string[]
  /** The topics' names in Kafka. */
  readonly input: string
  readonly output: string
  readonly size: number
  readonly outputBytes: number
  readonly partitions: number
}

const run = promisify(execFile)

/** Utterances a second of the second run; the first one warms up. */
export async function measureStreams(streams: Streams): Promise<number> {
  const target = join(tmpdir(), 'loomlog-kafka-streams')
  const pom = join(import.meta.dirname, '../kafka-streams/pom.xml')
  const built = [`-Dloomlog.target=${target}`, 'compile', 'dependency:copy-dependencies']
  await run('mvn', ['-q', '-B', '-f', pom, ...built, '-DincludeScope=runtime', `-DoutputDirectory=${target}/lib`])
  const { brokers, input, output, size, outputBytes, partitions } = streams
  const args = [brokers.join(','), input, output, ...[size, outputBytes, partitions].map(String)]
  const { stdout } = await run('java', ['-cp', `${target}/classes:${target}/lib/*`, 'NullStream', ...args])
  const ms = Number(stdout.trim().split('\n').at(-1))
  return (size * 1_000) / ms
}
