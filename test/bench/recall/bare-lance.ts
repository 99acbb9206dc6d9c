/**
 * The floor of recall: the queries that it is made of, asked of LanceDB alone. What recall asks is recorded at the seam between recall and
 * the views, with the times, and asked again bare: a query begins as soon as those are answered that were answered before it began, and
 * the answer is left as LanceDB gives it.
 */
import { type Connection, connect, MatchQuery, type Table } from '@lancedb/lancedb'
import type { TableName, ViewTopic } from '@loomlog/views/catalogue'
import { type Condition, sql } from '@loomlog/views/condition'
import type { View, ViewReader } from '@loomlog/views/reader'
import { columns, rowKey } from '@loomlog/views/row'
import type { ReadableShard } from '@loomlog/views/shard'
import { uriOf } from './crowded-shard.ts'

type Method = 'fullText' | 'nearest' | 'byIds' | 'scan' | 'count' | 'watermark'
const methods: readonly Method[] = ['fullText', 'nearest', 'byIds', 'scan', 'count', 'watermark']

export interface Call {
  readonly topic: ViewTopic
  readonly method: Method
  readonly args: readonly unknown[]
  readonly startedAt: number
  endedAt: number
}

export interface Recorder {
  readonly views: ViewReader
  /** The calls since the last time, in the order of their beginning. */
  take(): readonly Call[]
}

export function recorded(views: ViewReader): Recorder {
  let calls: Call[] = []
  const shards = new WeakMap<ReadableShard, ReadableShard>()

  function wrapped({ topic, shard }: View): ReadableShard {
    const known = shards.get(shard)
    if (known) return known
    const made: ReadableShard = { ...shard }
    for (const method of methods) {
      const original = shard[method] as (...args: readonly unknown[]) => Promise<unknown>
      const recording = async (...args: readonly unknown[]) => {
        const call: Call = { topic, method, args, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY }
        calls.push(call)
        return original(...args).finally(() => {
          call.endedAt = performance.now()
        })
      }
      Object.assign(made, { [method]: recording })
    }
    shards.set(shard, made)
    return made
  }

  const recording = new Proxy(views, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (name === 'view' || name === 'viewAt') {
        return async (...args: unknown[]) => {
          const view = await (value as (...args: unknown[]) => Promise<View | null>).apply(target, args)
          return view && { ...view, shard: wrapped(view) }
        }
      }
      return typeof value === 'function' ? value.bind(target) : value
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

/** Asks LanceDB the same. */
export class BareLance {
  readonly #views: string
  readonly #connections = new Map<ViewTopic, Promise<Connection>>()
  readonly #tables = new Map<string, Promise<Table>>()

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

  async #one({ topic, method, args }: Call): Promise<unknown> {
    const [name, search = {}] = args as [TableName, { [name: string]: unknown }]
    const table = await this.#table(topic, name)
    const all = Object.values(columns)
    const where = method === 'watermark' ? sql`key = ${''}`.text : whereOf(search)
    const limit = (search.limit as number | undefined) ?? 1
    switch (method) {
      case 'fullText': {
        const words = new MatchQuery(search.query as string, 'text')
        const query = table
          .query()
          .fullTextSearch(words, { columns: ['text'] })
          .where(where)
          .limit(limit)
        return await query.select([...all, '_score']).toArrow()
      }
      case 'nearest': {
        const query = table
          .query()
          .nearestTo(search.vector as Float32Array)
          .distanceType('cosine')
          .where(where)
        return await query
          .limit(limit)
          .select([...all, '_distance'])
          .toArrow()
      }
      case 'byIds':
      case 'scan':
      case 'watermark':
        return await table.query().where(where).select(all).toArrow()
      case 'count':
        return await table.countRows(where)
    }
  }

  #table(topic: ViewTopic, name: TableName): Promise<Table> {
    const known = this.#tables.get(name)
    if (known) return known
    const connection =
      this.#connections.get(topic) ?? connect(uriOf(this.#views, topic), { readConsistencyInterval: 0 })
    this.#connections.set(topic, connection)
    const table = connection.then((open) => open.openTable(name))
    this.#tables.set(name, table)
    return table
  }
}

function whereOf(search: { readonly [name: string]: unknown }): string {
  const space = search.space as string
  const inSpace = sql`space = ${space} AND NOT deleted`
  const ids = search.ids as readonly string[] | undefined
  if (ids) return sql`${inSpace} AND key IN ${ids.map((id) => rowKey(space, id))}`.text
  const where = search.where as Condition | undefined
  return (where === undefined ? inSpace : sql`${inSpace} AND ${where}`).text
}
