/** The store of this log's views, for writers and readers alike: sealed where the log is encrypted. */
import { lanceStore } from '@loomlog/views/lancedb'
import type { ViewStore } from '@loomlog/views/port'
import { type Host, viewsUri } from './open.ts'

/** @param views another place, such as a folder for a comparison */
export function viewStore(
  { config, sealing, notify }: Pick<Host, 'config' | 'sealing' | 'notify'>,
  views = viewsUri(config),
): ViewStore {
  return lanceStore(views, notify, sealing)
}
