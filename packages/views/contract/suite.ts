/** The contract of the view store, as tests: every adapter passes them unchanged. */
import { describe, type TestContext } from 'node:test'
import type { ViewStore } from '../port.ts'
import { clearingsContract } from './clearings.ts'
import { conditionsContract } from './conditions.ts'
import { discardsContract } from './discards.ts'
import { dumpContract } from './dump.ts'
import { fencingContract } from './fencing.ts'
import { searchesContract } from './searches.ts'
import { Setup } from './setup.ts'
import { shardsContract } from './shards.ts'
import { writesContract } from './writes.ts'

/** @param newStore makes an empty store, and removes it when the test ends */
export function contractSuite(name: string, newStore: (t: TestContext) => Promise<ViewStore>): void {
  describe(`the view store contract, ${name}`, () => {
    const setup = new Setup(newStore)
    shardsContract(setup)
    writesContract(setup)
    clearingsContract(setup)
    fencingContract(setup)
    discardsContract(setup)
    searchesContract(setup)
    conditionsContract(setup)
    dumpContract(setup)
  })
}
