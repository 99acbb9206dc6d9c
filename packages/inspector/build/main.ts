/** `npm run inspector`: builds the inspector's bundle. */
import { buildInspector } from './build-inspector.ts'

await buildInspector()
