/** The tables and the charts of the soak in test/faults/README.md, from what its command writes on each log. */
import kafka from '../../../docs/figures/soak-kafka.json' with { type: 'json' }
import sqlite from '../../../docs/figures/soak-sqlite.json' with { type: 'json' }
import { type Block, count, table } from '../blocks.ts'

/** A chart has about a dozen points. */
const chartPoints = 12

interface Quarters {
  readonly first: number
  readonly last: number
}

function chart(title: string, minutes: readonly number[], lines: readonly (readonly number[])[]): readonly string[] {
  const most = Math.ceil((Math.max(...lines.flat()) * 1.1) / 100) * 100
  return [
    '```mermaid',
    'xychart-beta',
    `    title "${title}"`,
    `    x-axis "minutes" [${minutes.join(', ')}]`,
    `    y-axis 0 --> ${most}`,
    ...lines.map((line) => `    line [${line.join(', ')}]`),
    '```',
  ]
}

function block(name: string, { command, machine, commit, note, results }: typeof sqlite | typeof kafka): Block {
  const [result] = results
  if (result === undefined) throw new Error(`the figures of ${name} have no result`)
  const { details, isKept } = result
  const { warmAfterSeconds, utterances, samples } = details
  const row = (label: string, { first, last }: Quarters) => [label, count(first), count(last)]
  const step = Math.max(1, Math.ceil(samples.length / chartPoints))
  const points = samples.filter((_, index) => index % step === 0)
  const failures = Object.values(details.failures).reduce((sum: number, times) => sum + Number(times), 0)
  const summary =
    `\`${command}\`, ${machine}, commit ${commit}, ${note}; ${count(utterances)} utterances. Means of the first and the last quarter after ` +
    `${count(warmAfterSeconds)} s. Failed requests: ${count(failures)}. Promise ${isKept ? 'kept' : 'not kept'}.`
  const figures = table(
    ['MB', 'first quarter', 'last quarter'],
    [
      row('resident memory', details.rssMb),
      row('share of the caches', details.cachesMb),
      row('**the rest**', details.restMb),
      row("of it V8's heap", details.heapTotalMb),
      row("of it malloc's main heap", details.mallocHeapMb),
      row('live objects, without the cache of spaces', details.liveHeapMb),
      row('open files (number)', details.openFiles),
    ],
  )
  const curves = chart(
    'MB: resident memory; without caches',
    points.map(({ atSeconds }) => Math.round(atSeconds / 60)),
    [points.map(({ rssMb }) => rssMb), points.map(({ restMb }) => restMb)],
  )
  return { file: 'test/faults/README.md', name, lines: [summary, '', ...figures, '', ...curves] }
}

export const soakBlocks: readonly Block[] = [block('soak on sqlite', sqlite), block('soak on kafka', kafka)]
