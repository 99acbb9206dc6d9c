import { contractSuite } from '../contract/suite.ts'
import { temporaryFolder } from './fixture.ts'
import { lanceStore } from './store.ts'

contractSuite('lancedb', async (t) => lanceStore(await temporaryFolder(t)))
