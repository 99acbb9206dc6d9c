import { contractSuite } from '@loomlog/log/contract'
import { memoryAdapter } from './contract-adapter.ts'

// It has no process to kill, and keeps every schema that it is given.
contractSuite('in memory', memoryAdapter, ['topics', 'append', 'read', 'identity', 'groups', 'commit'])
