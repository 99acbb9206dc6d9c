/** A scenario of the campaign: a fault, and the promise that must hold in spite of it. */
import type { LocalKafka } from '@loomlog/kafka-local/kafka-local'
import type { Environment } from '../pipeline/loomlog.ts'

export type LogKind = 'sqlite' | 'kafka'

export interface Scenario {
  readonly name: string
  readonly logs: readonly LogKind[]
  /** The number of brokers that it needs on Kafka. They are its own: it may kill them. */
  readonly nodes: 1 | 3
  readonly description: string
  run(setting: Setting): Promise<Verdict>
}

export interface Setting {
  readonly kind: LogKind
  /** The environment that names the log, for processes. */
  readonly log: Environment
  readonly sessionMs: number
  /** Null for the embedded log. */
  readonly kafka: LocalKafka | null
  readonly random: () => number
  /** The duration of a disturbance. */
  readonly seconds: number
  /** Kills at random moments. */
  readonly kills: number
  /** A LoCoMo file, if given. */
  readonly data: string | null
  /** The number of sessions of the file's first sample; null: the whole file. */
  readonly sessions: number | null
  say(text: string): void
}

export interface Verdict {
  /** Whether every promise of the scenario was kept. */
  readonly isKept: boolean
  /** Findings and observations, for people and for the report. */
  readonly details: object
}
