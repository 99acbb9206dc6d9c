/** The extension, for LOOMLOG_EXTENSIONS: the processor with the schemas of its events and its view table. */
import type { Extension } from '@loomlog/host/extensions'
import type { Processor } from '@loomlog/runtime/processor'
import { recordSchema } from '@loomlog/schemas/records'
import { promises as processor } from './processor.ts'
import { promises as table } from './table.ts'

const schema = (name: string) => recordSchema(new URL(`./schemas/${name}.avsc`, import.meta.url), 'derived')

export default {
  processor: processor as Processor,
  records: [schema('promise-made'), schema('promise-retracted')],
  tables: [table],
} satisfies Extension
