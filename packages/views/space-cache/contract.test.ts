/** The contract of the port, with every search answered by the space cache over a store. */

import { testSealing } from '@loomlog/log/sealing-fixture'
import { contractSuite } from '../contract/suite.ts'
import { memoryStore } from '../in-memory/store.ts'
import { temporaryFolder } from '../lancedb/fixture.ts'
import { lanceStore } from '../lancedb/store.ts'
import type { ReadableShard, ViewStore } from '../port.ts'
import { SpaceCache } from './space-cache.ts'

contractSuite('space cache over memory', async () => cached(memoryStore()))
contractSuite('space cache over lancedb', async (t) => cached(lanceStore(await temporaryFolder(t))))
contractSuite('space cache over lancedb, encrypted', async (t) =>
  cached(lanceStore(await temporaryFolder(t), () => {}, testSealing())),
)

function cached(store: ViewStore): ViewStore {
  const cache = new SpaceCache()
  const searched = <S extends ReadableShard>(shard: S, { vectorSpace }: { vectorSpace: { dimensions: number } }): S => {
    return { ...shard, ...cache.searchesOf(shard, vectorSpace.dimensions) }
  }
  return {
    ...store,
    read: async (options, reads) => searched(await store.read(options, reads), options),
    write: async (options) => searched(await store.write(options), options),
  }
}
