/**
 * Deletes records that are older than their topic's retention: from the start of each partition, a portion at a time,
 * and at most once a minute for a topic. It runs with appends, because only a topic that is written to grows.
 */
import type { Database } from './driver.ts'
import type { Topic } from './topics.ts'

const pauseMs = 60_000
const recordsDroppedAtOnce = 5_000

export class Retention {
  readonly #db: Database
  readonly #dueAt = new Map<number, number>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Inside a write. */
  apply(topic: Topic, now: number): void {
    if (topic.retentionMs === null || now < (this.#dueAt.get(topic.id) ?? 0)) return
    this.#dueAt.set(topic.id, now + pauseMs)
    for (let partition = 0; partition < topic.partitions; partition++) {
      this.#trim(topic.id, partition, now - topic.retentionMs)
    }
  }

  #trim(topic: number, partition: number, cutoff: number): void {
    let keptFrom = 0
    this.#db.each<readonly [offset: number, timestamp: number]>(
      'select offset, timestamp from records where topic = ? and partition = ? order by offset limit ?',
      [topic, partition, recordsDroppedAtOnce],
      ([offset, timestamp]) => {
        if (timestamp >= cutoff) return 'enough'
        keptFrom = offset + 1
        return 'more'
      },
    )
    this.#db.run('delete from records where topic = ? and partition = ? and offset < ?', topic, partition, keptFrom)
  }
}
