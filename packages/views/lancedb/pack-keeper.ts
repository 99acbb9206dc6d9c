/** Decides which packs a merge writes, by the invariants of packs.ts, and keeps the list of a table's packs. */
import type { Table as LanceTable } from '@lancedb/lancedb'
import { LoomlogError } from '@loomlog/errors'
import { maxPackedRows } from '../blocks/packed-block.ts'
import { mergedBlock, type RowBlock, rowBlock } from '../blocks/row-block.ts'
import type { VectorSpace, Watermark } from '../port.ts'
import type { StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { minUnpackedRows, type Pack, type PackRow, packRow, packsIn, readPack } from './packs.ts'
import type { RowFormat } from './row-format.ts'
import { liveRows, offsetsFrom } from './rows.ts'
import { literal } from './sql.ts'

/** The limit of stored rows that one merge packs, beside its own. */
export const maxReadPerMerge = 4_096
/** A space with this many packs has them rebuilt if they hold more than twice its rows: the rest are old versions. */
const minOutdatedPacks = 16

interface SpacePacks {
  /** The oldest first. */
  readonly packs: readonly Pack[]
  /** Rows that no pack holds; null: not counted yet. */
  readonly unpacked: number | null
}

const noPacks: SpacePacks = { packs: [], unpacked: 0 }

export interface PackPlan {
  readonly rows: readonly PackRow[]
  /** Call it when the merge is committed. */
  onCommitted(): void
}

interface MergedRows {
  readonly rows: readonly StoredRow[]
  readonly until: number
}

interface Merge extends MergedRows {
  /** Spaces whose stored rows the merge deletes. */
  readonly cleared: ReadonlySet<string>
}

export interface PackedTable {
  readonly table: Table
  readonly on: LanceTable
  readonly format: RowFormat
  readonly mark: Watermark
}

export class PackKeeper {
  readonly #vectorSpace: VectorSpace
  readonly #spaces: Map<string, SpacePacks>
  /** The packs of a space that is not in `#spaces`. */
  readonly #unknown: SpacePacks

  private constructor(vectorSpace: VectorSpace, spaces: Map<string, SpacePacks>, unknown: SpacePacks) {
    this.#vectorSpace = vectorSpace
    this.#spaces = spaces
    this.#unknown = unknown
  }

  /** @param state `empty`: the table has no rows yet */
  static async open(
    { on, table }: Pick<PackedTable, 'on' | 'table'>,
    vectorSpace: VectorSpace,
    state: 'empty' | 'used',
  ): Promise<PackKeeper> {
    if (state === 'empty') return new PackKeeper(vectorSpace, new Map(), noPacks)
    const spaces = new Map<string, SpacePacks>()
    for (const [space, packs] of await packsIn(on, table)) {
      spaces.set(space, { packs: packs.filter(({ rows }) => rows > 0).sort(oldestFirst), unpacked: null })
    }
    return new PackKeeper(vectorSpace, spaces, { packs: [], unpacked: null })
  }

  /** @param merged the rows of the merge, and the watermark that it commits */
  async plan(held: PackedTable, { rows, cleared, until }: Merge): Promise<PackPlan> {
    const next = new Map<string, SpacePacks>()
    const written: PackRow[] = []
    const { perSpace, removed } = bySpace(rows, cleared)
    for (const space of removed) {
      written.push(...this.#of(space).packs.map((pack) => emptied(held, space, pack)))
      next.set(space, { packs: [], unpacked: null })
    }
    let left = maxReadPerMerge
    // The space with the most unpacked rows first.
    const unpackedOf = ([space]: readonly [string, unknown]) => this.#of(space).unpacked ?? minUnpackedRows
    for (const [space, added] of [...perSpace].sort((a, b) => unpackedOf(b) - unpackedOf(a))) {
      if (removed.has(space)) continue
      const packing = await this.#pack(held, { space, rows: added, until }, left)
      left -= packing.read
      written.push(...packing.rows)
      next.set(space, packing.now)
    }
    const onCommitted = () => {
      for (const [space, packs] of next) this.#spaces.set(space, packs)
    }
    return { rows: written, onCommitted }
  }

  #of(space: string): SpacePacks {
    return this.#spaces.get(space) ?? this.#unknown
  }

  /**
   * Packs the unpacked rows of a space, if they are enough: those in the table and those of the merge.
   * @param limit of rows that are read from the table
   */
  async #pack(
    held: PackedTable,
    { space, rows: own, until: end }: MergedRows & { readonly space: string },
    limit: number,
  ) {
    const known = this.#of(space)
    const unpackedNow = known.unpacked === null ? null : known.unpacked + own.length
    const unchanged = (unpacked = unpackedNow) => ({ rows: [], read: 0, now: { packs: known.packs, unpacked } })
    if (limit <= 0 || (unpackedNow !== null && unpackedNow < minUnpackedRows)) return unchanged()
    const packs = (await this.#areOutdated(held, space, known.packs)) ? [] : known.packs
    const from = packs.at(-1)?.until ?? 0
    const areKnown = known.unpacked === 0 && packs === known.packs
    const offsets = areKnown ? [] : await offsetsFrom(held.on, space, from)
    if (offsets.length + own.length < minUnpackedRows) return unchanged(offsets.length + own.length)
    const cut = endOf(offsets, limit) ?? (offsets.length + own.length > maxPackedRows ? held.mark.offset : null)
    const read = cut === null ? offsets.length : offsets.filter((offset) => offset < cut).length
    if (read > maxPackedRows || (cut !== null && read === 0)) return unchanged()
    const stored = read === 0 ? [] : await liveRows(held.on, held, { space, from, until: cut ?? held.mark.offset })
    const added = cut === null ? newestOf(stored, own) : stored
    const { block, place } = await joined(held, space, packs, rowBlock(added, this.#vectorSpace.dimensions))
    const pack = { place, rows: block.length, until: cut ?? end }
    const rest = known.packs.filter((each) => each.place > place)
    return {
      rows: [packRow(held, space, pack, block), ...rest.map((each) => emptied(held, space, each))],
      read,
      now: {
        packs: [...packs.filter((each) => each.place < place), pack],
        unpacked: cut === null ? 0 : offsets.length - read + own.length,
      },
    }
  }

  async #areOutdated({ on }: PackedTable, space: string, packs: readonly Pack[]): Promise<boolean> {
    const rows = packs.reduce((sum, pack) => sum + pack.rows, 0)
    if (packs.length < minOutdatedPacks) return false
    return rows > 2 * (await on.countRows(`space = ${literal(space)} AND deleted = FALSE`))
  }
}

/**
 * The offset at which a pack of at most `limit` rows ends; null: it holds all rows. A pack ends between two offsets, so
 * rows of one offset are packed together, even beyond the limit.
 */
export function endOf(offsets: readonly number[], limit: number): number | null {
  const end = offsets[limit]
  return (end === offsets[0] ? offsets.find((offset) => offset > (end ?? 0)) : end) ?? null
}

/** The new rows, joined with the last packs as long as these are small; and the place of the joined pack. */
async function joined(held: PackedTable, space: string, packs: readonly Pack[], added: RowBlock) {
  let block = added
  let place = (packs.at(-1)?.place ?? -1) + 1
  for (const pack of packs.toReversed()) {
    if (pack.rows >= 2 * block.length || pack.rows + block.length > maxPackedRows) break
    const stored = await readPack(held, space, pack.place)
    if (stored === null) throw new LoomlogError('view-corrupt', `table ${held.table.name} lacks a pack of ${space}`)
    place = pack.place
    const before = stored.block
    if (before === null) continue
    const ids = before.column('id')
    const newer = new Set(block.column('id'))
    const places = [...ids.keys()].filter((at) => !newer.has(ids[at]))
    block = mergedBlock([{ block: before, places }, { block }])
  }
  return { block, place }
}

function emptied(held: PackedTable, space: string, pack: Pack): PackRow {
  return packRow(held, space, { ...pack, rows: 0 }, null)
}

function oldestFirst(a: Pack, b: Pack): number {
  return a.place - b.place
}

/** The live rows of each space, and the spaces that rows are removed from. */
function bySpace(rows: Iterable<StoredRow>, cleared: ReadonlySet<string>) {
  const removed = new Set(cleared)
  const live: StoredRow[] = []
  for (const row of rows) {
    if (row.deleted) removed.add(row.space)
    else live.push(row)
  }
  return { perSpace: Map.groupBy(live, ({ space }) => space), removed }
}

function newestOf(stored: readonly StoredRow[], own: readonly StoredRow[]): readonly StoredRow[] {
  if (stored.length === 0) return own
  const newer = new Set(own.map(({ id }) => id))
  return [...stored.filter(({ id }) => !newer.has(id)), ...own]
}
