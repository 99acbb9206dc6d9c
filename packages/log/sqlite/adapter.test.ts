import { contractSuite } from '@loomlog/log/contract'
import { sqliteAdapter } from './contract-adapter.ts'

contractSuite('sqlite', sqliteAdapter)
