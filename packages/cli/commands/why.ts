/** `loomlog why ID`: where a memory comes from, down to the utterances and their places in the log. */
import type { Host } from '@loomlog/host/open'
import type { Place } from '@loomlog/intake/utterance'
import { type Lineage, why as whyFrom } from '@loomlog/recall/why'
import { spaceKey } from '@loomlog/schemas/ids'
import { withReading } from '../generation.ts'
import { faint, type Output, print, printable, printJson } from '../print.ts'

export async function why(command: Output & { readonly id: string; readonly place: Place }, host: Host): Promise<void> {
  const space = spaceKey(command.place.tenant, command.place.space)
  const { lineage, generation, epoch } = await withReading(host, command.place.tenant, async (reading) => {
    const { generation, epoch, views } = reading
    return { lineage: await whyFrom(command.id, space, { ...host, views }), generation, epoch }
  })
  if (command.json) printJson({ ...lineage, generation, epoch })
  else printLineage(lineage)
}

/** As a tree; what was shown once is only named again. */
export function printLineage(lineage: Lineage, indent = '', shown = new Set<string>()): void {
  const { topic, partition, offset } = lineage.record
  const made = lineage.derivation === null ? 'said' : `by ${lineage.method}, derivation ${lineage.derivation}`
  print(`${indent}${lineage.kind} ${lineage.id} ${faint(`(${made}; ${topic}/${partition}@${offset})`)}`)
  if (shown.has(lineage.id)) return
  shown.add(lineage.id)
  print(`${indent}  ${printable(lineage.text).replaceAll('\n', `\n${indent}  `)}`)
  for (const cause of lineage.causes) printLineage(cause, `${indent}    `, shown)
}
