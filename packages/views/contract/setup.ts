/**
 * The start of every test of an adapter: an empty store, a shard with one table, and rows with every column filled in.
 */
import type { TestContext } from 'node:test'
import type { ShardOptions, ViewStore, WritableShard } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { type FactRow, facts } from '../tables/facts.ts'

export const testSpace = 'acme/home'
export const testVectors = { name: 'test-8', dimensions: 8 }
export const testShard: ShardOptions = { view: 'v1', partition: 0, tables: [facts], vectorSpace: testVectors }

/** The error that the port allows. */
export const cosineError = 0.01

export class Setup {
  readonly #newStore: (t: TestContext) => Promise<ViewStore>

  /** @param newStore makes an empty store, and removes it when the test ends */
  constructor(newStore: (t: TestContext) => Promise<ViewStore>) {
    this.#newStore = newStore
  }

  store(t: TestContext): Promise<ViewStore> {
    return this.#newStore(t)
  }

  /** A new shard with the table `facts`, open to write. */
  async shard(t: TestContext): Promise<WritableShard> {
    return (await this.store(t)).write(testShard)
  }
}

export function testRow(id: string, offset: number, fields: Partial<StoredRow<FactRow>> = {}): StoredRow<FactRow> {
  const lineage = { derivation: 'd1', method: 'rules', causes: [id], completions: [] }
  return {
    id,
    space: testSpace,
    conversation: 'kitchen',
    speaker: 'Ann',
    speakers: ['ann'],
    text: `what ${id} says`,
    sources: [`u-${id}`],
    labels: [],
    lineage,
    seq: offset,
    ordinal: 0,
    at: 1_700_000_000_000 + offset,
    validFrom: null,
    validTo: null,
    knownFrom: 1_750_000_000_000 + offset,
    knownTo: null,
    box: 'b1',
    kind: 'state',
    subject: 'Ann',
    relation: 'says',
    object: id,
    role: 'human',
    when: { from: 1, to: 2, text: 'once' },
    location: 'home',
    persons: ['Ann'],
    entities: [],
    keywords: [id],
    isInstruction: false,
    correction: null,
    offset,
    deleted: false,
    vector: Float32Array.from({ length: testVectors.dimensions }, (_, index) => Math.sin(offset + index)),
    ...fields,
  }
}
