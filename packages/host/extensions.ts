/**
 * Extensions: processors that don't come with loomlog, each with everything that it adds. LOOMLOG_EXTENSIONS names
 * their modules, and the default export of each is an `Extension`. All processes on a log need the same extensions: a
 * process that lacks one neither derives nor reads its memories, and reports that it is frozen (service-watch.ts).
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LoomlogError } from '@loomlog/errors'
import type { Generation } from '@loomlog/generations/generations'
import type { Processor } from '@loomlog/runtime/processor'
import { type RecordSchema, records } from '@loomlog/schemas/records'
import { catalogue, type TopicSpec } from '@loomlog/topics/catalogue'
import type { Table } from '@loomlog/views/table'
import { tables } from '@loomlog/views/tables'
import { type NamedParts, refuseDuplicateNames } from './extension-names.ts'

export interface Extension {
  /** The topic of the extension is `processor.writes`. */
  readonly processor: Processor
  /** The events that it writes. */
  readonly records: readonly RecordSchema[]
  /** The view tables that are made from its topic. */
  readonly tables: readonly Table[]
}

/** Everything that a process knows of topics, records and tables: loomlog's own, and then those of the extensions. */
export interface Installation {
  readonly extensions: readonly Extension[]
  readonly topics: readonly TopicSpec[]
  readonly records: readonly RecordSchema[]
  readonly tables: readonly Table[]
}

/** No stage may have the name of a service. */
const services = catalogue.flatMap(({ writers, readers }) => [...writers, ...readers])
const own: NamedParts = { owner: 'loomlog itself', stages: [...new Set(services)], topics: catalogue, records, tables }

/** @param modules paths of their modules @throws LoomlogError `config-invalid` */
export async function loadExtensions(modules: readonly string[]): Promise<Installation> {
  const loaded = await Promise.all(modules.map(async (module) => ({ module, ...(await load(module)) })))
  refuseDuplicateNames([own, ...loaded.map(partsOf)])
  const extensions = loaded.map(({ processor, records, tables }) => ({ processor, records, tables }))
  return {
    extensions,
    topics: [...catalogue, ...extensions.map(({ processor }) => processor.writes)],
    records: [...records, ...extensions.flatMap((extension) => extension.records)],
    tables: [...tables, ...extensions.flatMap((extension) => extension.tables)],
  }
}

/** Why this process can't do its work for a generation, in words; null: it knows all of its stages. */
export function missingStageReason(
  topics: readonly TopicSpec[],
  { derivations }: Pick<Generation, 'derivations'>,
): string | null {
  const known = new Set(topics.flatMap(({ derivedFrom, writers }) => (derivedFrom === null ? [] : writers)))
  const stage = Object.keys(derivations).find((each) => !known.has(each))
  if (stage === undefined) return null
  return `the live generation has the stage ${stage}, which this process doesn't know: name its extension in LOOMLOG_EXTENSIONS`
}

async function load(module: string): Promise<Extension> {
  const refused = (reason: string, cause?: unknown) =>
    new LoomlogError('config-invalid', `LOOMLOG_EXTENSIONS names ${module}: ${reason}`, { cause })
  const imported = await import(pathToFileURL(resolve(module)).href).catch((cause: Error) => {
    throw refused(`it can't be imported: ${cause.message}`, cause)
  })
  const { processor, records, tables } = (imported.default ?? {}) as Partial<Extension>
  if (processor && records && tables) return { processor, records, tables }
  throw refused('expected a module whose default export has processor, records and tables')
}

function partsOf({ module, processor, records, tables }: Extension & { readonly module: string }): NamedParts {
  return { owner: module, stages: [processor.stage], topics: [processor.writes], records, tables }
}
