/** A scenario of the campaign: something bad that happens to a log, and the promise that must hold all the same. */
import type { LocalKafka } from '@loomlog/kafka-local/kafka-local'
import type { Environment } from '../pipeline/loomlog.ts'

export type LogKind = 'sqlite' | 'kafka'

export interface Scenario {
  readonly name: string
  readonly logs: readonly LogKind[]
  /** Brokers it needs, on Kafka. They are its own: it may kill them. */
  readonly nodes: 1 | 3
  readonly what: string
  run(setting: Setting): Promise<Verdict>
}

export interface Setting {
  readonly kind: LogKind
  /** Names the log, for processes. */
  readonly log: Environment
  readonly sessionMs: number
  /** Null where the log is embedded. */
  readonly kafka: LocalKafka | null
  readonly random: () => number
  /** The duration of a disturbance. */
  readonly seconds: number
  /** Kills at random moments. */
  readonly kills: number
  /** A LoCoMo file, if one is given. */
  readonly data: string | null
  /** How many sessions of its first sample are taken; null: the whole file. */
  readonly sessions: number | null
  say(what: string): void
}

export interface Verdict {
  /** Every promise of the scenario was kept. */
  readonly isKept: boolean
  /** Findings and observations, for people and for the report. */
  readonly details: object
}
