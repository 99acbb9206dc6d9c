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

const minShare = 0.5
const maxSlowdown = 2

const cases = Object.entries({ sqlite: append.sqlite, kafka: append.kafka }).flatMap(([log, results]) =>
  results.map((each) => ({ ...each, name: `${log} with ${each.clients}` })),
)

/** The cases that miss a target, by name. */
function missing(isMissed: (each: (typeof cases)[number]) => boolean): string {
  const names = cases.filter(isMissed).map(({ name }) => name)
  return names.length === 0 ? `none of ${cases.length}` : names.join(', ')
}

const targets = [
  `Target: half of the loop's rate, and twice its p99. The gateway misses the rate in ${missing((each) => each.httpRateRatio < minShare)}, and the p99 in ${missing((each) => each.httpP99Ratio > maxSlowdown)}.`,
  `The intake alone misses the rate in ${missing((each) => each.rateRatio < minShare)}, and the p99 in ${missing((each) => each.p99Ratio > maxSlowdown)}.`,
  `A single append over HTTP (target: p99 10 ms): ${cases
    .filter(({ clients }) => clients === 1)
    .map(({ name, gateway }) => `${name} ${gateway.p99Ms.toFixed(1)} ms`)
    .join(', ')}.`,
  `Requests of 100, four at a time (target: half of the log's own rate): ${Object.entries(append.durable)
    .map(
      ([log, { hundreds }]) =>
        `on ${log} the intake has ${share(hundreds.intake.perSecond / hundreds.log.perSecond, 2)} of it, the gateway ${share(hundreds.gateway.perSecond / hundreds.log.perSecond, 2)}`,
    )
    .join('; ')}.`,
]

const columns = ['log, clients', 'bare loop', 'intake', 'share', 'bare loop over HTTP', 'gateway', 'share']

export const appendBlocks: readonly Block[] = [
  {
    file: 'services/gateway/README.md',
    name: 'append',
    lines: [
      `\`${append.command}\`, ${append.machine}, ${append.day}, commit ${append.commit}. One utterance a request, by clients that wait for each acknowledgement: rate and p99. A share is that of the rate, and how many times as long the p99 is.`,
      '',
      ...table(columns, rows),
      '',
      ...targets,
    ],
  },
]
