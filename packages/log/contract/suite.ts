/**
 * The contract of the Log port, as tests: every adapter passes them unchanged. An adapter declares its session and its
 * waits as features. Positions are compared, never computed, since offsets may have holes.
 */
import { after, before, describe } from 'node:test'
import { appendContract } from './append.ts'
import { commitContract } from './commit.ts'
import { eraseContract } from './erase.ts'
import { groupsContract } from './groups.ts'
import { identityContract } from './identity.ts'
import { processesContract } from './processes.ts'
import { readContract } from './read.ts'
import { registryContract } from './registry.ts'
import { type Adapter, Setup } from './setup.ts'
import { topicsContract } from './topics.ts'

export type { Adapter } from './setup.ts'

const parts = {
  topics: topicsContract,
  append: appendContract,
  read: readContract,
  identity: identityContract,
  erase: eraseContract,
  groups: groupsContract,
  commit: commitContract,
  registry: registryContract,
  processes: processesContract,
}

type Part = keyof typeof parts

/** @param only the parts that apply to an adapter that isn't for production; default: all */
export function contractSuite(name: string, adapter: Adapter, only = Object.keys(parts) as readonly Part[]): void {
  describe(`the Log contract, ${name}`, () => {
    let setup: Setup | null = null
    const started = () => {
      if (!setup) throw new Error('the environment has not started')
      return setup
    }
    before(async () => {
      setup = await Setup.start(adapter)
    })
    after(() => setup?.stop())
    for (const part of only) parts[part](started)
  })
}
