/** Notices that a recall did not search everything: a model must not take "nothing found" for "nothing known". */
import type { RecalledMemories } from '@loomlog/client/memory'

export function incompleteness({ unsearched = 0, rebuilding, failed, logAway }: RecalledMemories): readonly string[] {
  const reasons = [
    ...(unsearched > 0 ? [`${unsearched} new records were not searched`] : []),
    ...(rebuilding === undefined ? [] : ['an index is being rebuilt']),
    ...(failed === undefined ? [] : [`${failed.length} memories could not be read`]),
    ...(logAway === undefined ? [] : ['the newest messages could not be read']),
  ]
  return reasons.length === 0 ? [] : [`The result may be incomplete: ${reasons.join('; ')}. Ask again later.`]
}
