/**
 * The floor of recall: its bare LanceDB queries. A recorder between recall and the views records every query with its
 * times, and the floor repeats them. Queries that overlapped in the recording run in parallel again; the others wait
 * for those before them. Results stay in LanceDB's format.
 */
import { type Connection, connect, type Table as LanceTable, MatchQuery } from '@lancedb/lancedb'
import { tablesOf } from '@loomlog/views/catalogue'
import type { Condition } from '@loomlog/views/condition'
import { and, equals } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { rowKey } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { rowColumns } from '../../../../packages/views/lancedb/arrow.ts'
import { literal, toSql } from '../../../../packages/views/lancedb/sql.ts'
import { isWatermark } from '../../../../packages/views/lancedb/watermark-key.ts'
import { uriOf } from '../crowded-shard.ts'

const methods = ['fullText', 'nearest', 'byIds', 'scan', 'count', 'watermark'] as const
type Method = (typeof methods)[number]

export interface Call {
  readonly method: Method
  readonly args: readonly unknown[]
  readonly startedAt: number
  endedAt: number
}

export interface Recorder {
  readonly views: ViewReader
  /** The calls since the last `take`, in the order of their start. */
  take(): readonly Call[]
}

export function recordCalls(views: ViewReader): Recorder {
  let calls: Call[] = []
  const recording: ViewReader = new Proxy(views, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (name === 'forOneRecall') return () => recording
      if (typeof value !== 'function') return value
      const method = methods.find((each) => each === name)
      if (method === undefined) return value.bind(target)
      return (...args: readonly unknown[]) => {
        const call: Call = { method, args, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY }
        calls.push(call)
        return (value.apply(target, args) as Promise<unknown>).finally(() => {
          call.endedAt = performance.now()
        })
      }
    },
  })
  return {
    views: recording,
    take() {
      const taken = calls
      calls = []
      return taken
    },
  }
}

interface BareSearch {
  readonly space: string
  readonly where?: Condition<never>
  readonly query: string
  readonly vector: Float32Array
  readonly limit: number
}

/** Repeats recorded calls on LanceDB. */
export class BareLance {
  readonly #views: string
  readonly #connections = new Map<string, Promise<Connection>>()
  readonly #tables = new Map<Table, Promise<LanceTable>>()

  constructor(views: string) {
    this.#views = views
  }

  async ask(recorded: readonly Call[]): Promise<void> {
    const answers = new Map<Call, Promise<unknown>>()
    for (const call of recorded) {
      const before = recorded.filter((other) => other.endedAt <= call.startedAt).map((other) => answers.get(other))
      answers.set(
        call,
        Promise.all(before).then(() => this.#one(call)),
      )
    }
    await Promise.all(answers.values())
  }

  async close(): Promise<void> {
    for (const table of this.#tables.values()) (await table).close()
    for (const connection of this.#connections.values()) (await connection).close()
  }

  async #one({ method, args }: Call): Promise<unknown> {
    if (method === 'watermark') {
      const all = tablesOf(args[0] as string)
      return Promise.all(
        all.map(async (table) =>
          (await this.#table(table)).query().where(isWatermark).select(rowColumns(table)).toArrow(),
        ),
      )
    }
    const [table] = args as readonly [Table]
    const on = await this.#table(table)
    const all = rowColumns(table)
    if (method === 'byIds') {
      const [, space, ids] = args as readonly [Table, string, readonly string[]]
      const keys = ids.map((id) => literal(rowKey(space, id))).join(', ')
      return ids.length === 0
        ? null
        : on
            .query()
            .where(`key IN (${keys}) AND ${inSpace(table, { space })}`)
            .select(all)
            .toArrow()
    }
    const [, search] = args as readonly [Table, BareSearch]
    const where = inSpace(table, search)
    switch (method) {
      case 'fullText': {
        const words = new MatchQuery(search.query, 'text')
        const matching = on
          .query()
          .fullTextSearch(words, { columns: ['text'] })
          .where(where)
          .limit(search.limit)
        return matching.select([...all, '_score']).toArrow()
      }
      case 'nearest': {
        const near = on.query().nearestTo(search.vector).distanceType('cosine').where(where).limit(search.limit)
        return near.select([...all, '_distance']).toArrow()
      }
      case 'scan':
        return search.limit === 0 ? null : on.query().where(where).select(all).toArrow()
      case 'count':
        return on.countRows(where)
    }
  }

  #table(table: Table): Promise<LanceTable> {
    const known = this.#tables.get(table)
    if (known) return known
    const { name: topic } = table.topic
    const connection =
      this.#connections.get(topic) ?? connect(uriOf(this.#views, topic), { readConsistencyInterval: 0 })
    this.#connections.set(topic, connection)
    const opened = connection.then((open) => open.openTable(table.name))
    this.#tables.set(table, opened)
    return opened
  }
}

function inSpace(table: Table, { space, where = and() }: Pick<BareSearch, 'space' | 'where'>): string {
  return toSql(and(equals('space', space), equals('deleted', false), where), table)
}
