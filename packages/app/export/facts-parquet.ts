/** Facts as Parquet, one row group after the other: texts as they are, times as timestamps in ms, lists as lists. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { ByteWriter, parquetWriteRows } from 'hyparquet-writer'
import { type FactColumn, type FactToExport, type FactValue, factColumns } from './fact-columns.ts'

/** Memory holds the rows of one group, as rows and as columns. */
const rowGroupSize = 10_000

type SchemaElement = NonNullable<Parameters<typeof parquetWriteRows>[0]['schema']>[number]

const schema: SchemaElement[] = [
  { name: 'facts', num_children: factColumns.length },
  ...factColumns.flatMap(elementsOf),
]

/** @param signal ends the writing with its reason */
export async function writeFactsAsParquet(
  facts: AsyncIterable<FactToExport>,
  sink: Writable,
  signal: AbortSignal,
): Promise<void> {
  const writer = new ByteWriter()
  async function flush(): Promise<void> {
    signal.throwIfAborted()
    // No event follows that of an error.
    if (sink.errored) throw sink.errored
    // The writer fills its buffer again.
    const chunk = Buffer.from(writer.getBytes())
    writer.index = 0
    if (!sink.write(chunk)) await once(sink, 'drain', { signal })
  }
  const columns = factColumns.map(({ name }) => ({ name }))
  const growing = Object.assign(writer, { flush, finish: flush })
  await parquetWriteRows({ writer: growing, rows: rowsOf(facts), columns, schema, rowGroupSize, createdBy: 'loomlog' })
}

async function* rowsOf(facts: AsyncIterable<FactToExport>): AsyncGenerator<Record<string, unknown>> {
  for await (const fact of facts)
    yield Object.fromEntries(factColumns.map((column) => [column.name, cellOf(column, column.value(fact))]))
}

function cellOf({ type }: FactColumn, value: FactValue): unknown {
  return type === 'time' && value !== null ? new Date(Number(value)) : value
}

function elementsOf({ name, type }: FactColumn): SchemaElement[] {
  switch (type) {
    case 'text':
      return [{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }]
    case 'time':
      return [{ name, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'OPTIONAL' }]
    case 'flag':
      return [{ name, type: 'BOOLEAN', repetition_type: 'OPTIONAL' }]
    case 'texts':
      return [
        { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      ]
  }
}
