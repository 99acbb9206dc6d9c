import { contractSuite } from '@loomlog/log/contract'
import { memoryAdapter } from './contract-adapter.ts'

// The in-memory log has no process to kill, and keeps every schema.
contractSuite('in memory', memoryAdapter, ['topics', 'append', 'read', 'identity', 'erase', 'groups', 'commit'])
