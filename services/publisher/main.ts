/** The publisher in a process of its own. */
import { runPublisher } from '@loomlog/app/service'

await runPublisher()
