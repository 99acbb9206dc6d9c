import { testSealing } from '@loomlog/log/sealing-fixture'
import { contractSuite } from '../contract/suite.ts'
import { temporaryFolder } from './fixture.ts'
import { lanceStore } from './store.ts'

contractSuite('lancedb', async (t) => lanceStore(await temporaryFolder(t)))
contractSuite('lancedb, encrypted', async (t) => lanceStore(await temporaryFolder(t), () => {}, testSealing()))
