import { contractSuite } from '@loomlog/log/contract'
import { sealedSqliteAdapter } from './contract-adapter.ts'

contractSuite('sqlite, encrypted', sealedSqliteAdapter)
