/** The table of appends in services/gateway/README.md. */
import append from '../../../docs/figures/append.json' with { type: 'json' }
import { type Block, count, share, table } from '../blocks.ts'

const cell = ({ perSecond, p99Ms }: { readonly perSecond: number; readonly p99Ms: number }) =>
  `${count(Math.round(perSecond))}/s, ${p99Ms.toFixed(1)} ms`

const rows = Object.entries({ sqlite: append.sqlite, kafka: append.kafka }).flatMap(([log, results]) =>
  results.map((each) => [
    `${log}, ${each.clients}`,
    ...[each.bare, each.intake].map(cell),
    `${share(each.rateRatio, 2)}, ${each.p99Ratio.toFixed(1)}`,
    ...[each.bareHttp, each.gateway].map(cell),
    `${share(each.httpRateRatio, 2)}, ${each.httpP99Ratio.toFixed(1)}`,
  ]),
)

const columns = ['log, clients', 'bare loop', 'intake', 'share', 'bare loop over HTTP', 'gateway', 'share']

export const appendBlocks: readonly Block[] = [
  {
    file: 'services/gateway/README.md',
    name: 'append',
    lines: [
      `\`${append.command}\`, ${append.machine}. One utterance a request, by clients that wait for each acknowledgement: rate and p99. A share is that of the rate, and how many times as long the p99 is.`,
      '',
      ...table(columns, rows),
    ],
  },
]
