/** The differences between a topic and its wanted settings that every adapter reports: partitions and retention. */
import type { TopicConfig, TopicDrift } from './port.ts'

export function driftOf(wanted: TopicConfig, found: TopicConfig): readonly TopicDrift[] {
  const drift: TopicDrift[] = []
  const { name: topic } = wanted
  if (found.partitions !== wanted.partitions) {
    const [is, should] = [String(found.partitions), String(wanted.partitions)]
    drift.push({ topic, setting: 'partitions', found: is, wanted: should, isSettable: false })
  }
  if (found.retentionMs !== wanted.retentionMs) {
    const [is, should] = [kept(found), kept(wanted)]
    drift.push({ topic, setting: 'retention', found: is, wanted: should, isSettable: true })
  }
  return drift
}

function kept({ retentionMs }: TopicConfig): string {
  return retentionMs === null ? 'for ever' : `${retentionMs} ms`
}
