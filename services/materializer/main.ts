/** The materializer in a process of its own, for every view of every running generation. */
import { runMaterializer } from '@loomlog/app/service'

await runMaterializer()
