/** The rate of recent answers of models, from their log times; pauses between two runs don't count. */
import type { Host } from '@loomlog/host/open'

/** Newest records read of each partition. */
const maxRecords = 2_000
/** A longer gap between two answers is a pause between runs. */
const longestGapMs = 2_000
/** Fewer answers give no rate. */
const fewest = 20

/** Null: too few answers are recorded. */
export async function answersPerSecond(host: Host): Promise<number | null> {
  const ends = await host.log.endOffsets('completions')
  const from = new Map(ends.map((end, partition) => [partition, Math.max(0, end - maxRecords)]))
  const times: number[] = []
  for await (const records of host.log.read({ topic: 'completions', from, until: 'end' })) {
    for (const { value, timestamp } of records) {
      const event = await host.codec.decodeOwn(value)
      if (event?.type === 'AnswerRecorded' && event.vector === null) times.push(timestamp)
    }
  }
  times.sort((a, b) => a - b)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const busyMs = gaps.filter((gap) => gap <= longestGapMs).reduce((sum, gap) => sum + gap, 0)
  return times.length < fewest || busyMs === 0 ? null : (times.length / busyMs) * 1_000
}
