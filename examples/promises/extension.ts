/** The extension, for LOOMLOG_EXTENSIONS: the processor with the schemas of its events and its view table. */
import type { Extension } from '@loomlog/host/extensions'
import { recordSchema } from '@loomlog/schemas/records'
import { promises as processor } from './processor.ts'
import { promises as table } from './table.ts'

const schema = (name: string) => recordSchema(new URL(`./schemas/${name}.avsc`, import.meta.url), 'derived')

/** @public Imported by its path. */
export default {
  processor,
  records: [schema('promise-made'), schema('promise-retracted')],
  tables: [table],
} satisfies Extension
