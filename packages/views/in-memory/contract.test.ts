import { contractSuite } from '../contract/suite.ts'
import { memoryStore } from './store.ts'

contractSuite('memory', async () => memoryStore())
