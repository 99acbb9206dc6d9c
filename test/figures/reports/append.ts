/** The table of appends in services/gateway/README.md. */
import append from '../../../docs/figures/append.json' with { type: 'json' }
import { type Block, count, share, table } from '../blocks.ts'

const rows = Object.entries({ sqlite: append.sqlite, kafka: append.kafka }).flatMap(([log, results]) =>
  results.map(({ clients, bare, intake, gateway, rateRatio, p99Ratio }) => [
    `${log}, ${clients}`,
    ...[bare, intake, gateway].map(
      ({ perSecond, p99Ms }) => `${count(Math.round(perSecond))}/s, ${p99Ms.toFixed(0)} ms`,
    ),
    share(rateRatio, 2),
    p99Ratio.toFixed(1),
  ]),
)

export const appendBlocks: readonly Block[] = [
  {
    file: 'services/gateway/README.md',
    name: 'append',
    lines: [
      `\`${append.command}\`, ${append.machine}; ${append.note}. One utterance a request. Rate and p99 of a bare loop with the same durability, of the intake, and of the gateway; targets of the intake: half of the bare rate, twice its p99.`,
      '',
      ...table(['log, clients', 'bare', 'intake', 'gateway', "intake's share of the rate", 'times the bare p99'], rows),
    ],
  },
]
