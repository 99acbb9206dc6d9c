/** The command `recall`, with everything that can be asked of it. */
import { LoomlogError } from '@loomlog/errors'
import { checkedPlace } from '@loomlog/intake/utterance'
import { kinds } from '@loomlog/recall/memory'
import type { Given } from '@loomlog/recall/parameters'
import { reaches } from '@loomlog/recall/read-your-writes'
import type { Mode } from '@loomlog/recall/request'
import { understandings } from '@loomlog/recall/understanding'
import type { Making } from './command-frame.ts'
import { json, type PlaceOptions } from './options.ts'

const told: { readonly [mode in Mode]: string } = {
  combined: 'what was said; facts and events speak for it (default)',
  content: 'the same without events',
  trace_event: 'what happened, with its timelines',
  documents: 'documents by summary, their parts by words',
}
const modeHelp = Object.entries(told)
  .map(([mode, what]) => `${mode}: ${what}`)
  .join('; ')

interface RecallFlags {
  readonly also: string[]
  readonly answer?: true
  readonly explain?: true
  readonly agentic?: true
  readonly generation?: string
}

function searchOf({ agentic, explain }: RecallFlags): 'views' | 'explained' | 'tools' {
  if (agentic && explain) {
    throw new LoomlogError('input-invalid', '--explain and --agentic: expected one; what a model did is told anyway')
  }
  if (agentic) return 'tools'
  return explain ? 'explained' : 'views'
}

export function addRecall({ command, inSpace, withLog, place }: Making): void {
  inSpace(command('recall <query>', 'evidence for a question, with its sources'))
    .option('--also <space...>', 'further spaces of the tenant', [])
    .option('--mode <mode>', modeHelp)
    .option('--kind <kind...>', `only these, each searched by itself: ${kinds.join(', ')}`)
    .option('--limit <number>', 'how many memories at most (10; with a budget, as many as fit)')
    .option('--budget <tokens>', 'what is shown takes at most this many tokens (cl100k)')
    .option('--speaker <name...>', 'only what one of these said')
    .option('--conversation <id...>', 'only from these')
    .option('--from <time>', 'said or happened at or after this: a day, or a time with a zone')
    .option('--to <time>', 'said or happened before this')
    .option('--metadata <label=value...>', 'only utterances with all of these labels')
    .option('--true-at <time>', 'as it was at this time, as far as is known')
    .option('--known-at <time>', 'as the memory knew it at this time')
    .option('--after <position>', 'wait until the views have what was appended before: PARTITION@OFFSET')
    .option('--reach <reach>', `with --after: ${reaches.join(' or ')}`)
    .option('--wait <ms>', 'with --after: how long at most (5000)')
    .option('--generation <id>', 'of this generation, not of the one that answers')
    .option('--understanding <who>', `who reads the question: ${understandings.join(' or ')} (one answer); rules`)
    .option('--explain', 'also every candidate: what spoke for it, what it takes, why it was taken or left')
    .option('--agentic', 'a model searches one space with the tools; needs LOOMLOG_MODEL')
    .option('--answer', 'answer in words, cited, where the evidence holds it; needs LOOMLOG_MODEL')
    .action((query: string, options: PlaceOptions & RecallFlags & Given) =>
      withLog(options, async (host) => {
        const { also, dir: _dir, tenant, space: _space, ...given } = options
        for (const space of also) checkedPlace({ tenant, space })
        const { recall } = await import('./commands/recall.ts')
        const answer = options.answer ? 'wanted' : 'not-wanted'
        const search = searchOf(options)
        const { generation = null } = options
        const asked = { query, also, given, answer, search, generation, place: place(options) } as const
        await recall({ ...json(options), ...asked }, host)
      }),
    )
}
