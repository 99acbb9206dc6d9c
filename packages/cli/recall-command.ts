/** The commands `recall` and `context`, and their options. */
import { LoomlogError } from '@loomlog/errors'
import { checkedAddress } from '@loomlog/intake/utterance'
import { analysisMethods, defaultContextTokens, waitReaches } from '@loomlog/recall/choices'
import { kinds } from '@loomlog/recall/memory'
import type { TextParameters } from '@loomlog/recall/parameters'
import type { Mode } from '@loomlog/recall/request'
import type { Command } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import { json, type SpaceOptions } from './options.ts'

const modeTexts: { readonly [mode in Mode]: string } = {
  combined: 'utterances, ranked with the help of facts and events (default)',
  content: 'the same, with events no different from other facts',
  trace_event: 'facts that happened or are planned, with their timelines',
  documents: 'documents, found by their summaries, and their parts',
}
const modeHelp = Object.entries(modeTexts)
  .map(([mode, text]) => `${mode}: ${text}`)
  .join('; ')

interface RecallFlags {
  readonly also?: string[]
  readonly answer?: true
  readonly explain?: true
  readonly agentic?: true
  readonly generation?: string
}

function searchOf({ agentic, explain }: RecallFlags): 'views' | 'explained' | 'tools' {
  if (agentic && explain) {
    throw new LoomlogError(
      'input-invalid',
      '--explain and --agentic: expected one of them; --agentic prints its steps anyway',
    )
  }
  if (agentic) return 'tools'
  return explain ? 'explained' : 'views'
}

/** Adds the options that `recall` and `context` share: filters, times, and the wait for a position. */
function narrowed(made: Command): Command {
  return made
    .option('--speaker <name...>', 'only utterances of these speakers')
    .option('--conversation <id...>', 'only these conversations')
    .option('--from <time>', 'only from this time on: a day, or a time with a zone')
    .option('--to <time>', 'only before this time')
    .option(
      '--understanding <who>',
      `how the question is analyzed: ${analysisMethods.join(' or ')} (one call of it); default rules`,
    )
    .option('--metadata <label=value...>', 'only utterances with all of these labels')
    .option('--exclude <id...>', 'leave out these memories, such as the messages that the asker has just sent')
    .option(
      '--exclude-last <conversation=count...>',
      'leave out the last utterances of these conversations, which the asker has in view',
    )
    .option('--true-at <time>', 'facts that were true at this time')
    .option('--known-at <time>', 'the memory as it was at this time')
    .option('--after <position>', 'wait until the views include the log up to PARTITION@OFFSET')
    .option('--reach <reach>', `with --after: ${waitReaches.join(' or ')}`)
    .option('--wait <ms>', 'with --after: longest wait (5000)')
}

export function addContextCommand({
  command,
  withSpaceOptions,
  withServerOptions,
  server,
  withLog,
  place,
}: CommandFrame): void {
  const about = 'the text to put before an agent: instructions, what holds now, and evidence, within a budget'
  narrowed(withServerOptions(withSpaceOptions(command('context [query]', about))))
    .option('--budget <tokens>', `largest size in tokens (cl100k); default ${defaultContextTokens}`)
    .option('--for <speaker>', 'the speaker of the request: only their standing instructions, and those for everybody')
    .action(async (query: string | undefined, options: SpaceOptions & TextParameters) => {
      const { dir: _dir, tenant: _tenant, space: _space, ...textParameters } = options
      const request = { ...json(options), query, textParameters, place: place(options) }
      const from = server(options)
      if (from !== null) return (await import('./server/context.ts')).contextFromServer(from, request)
      const { context } = await import('./commands/context.ts')
      await withLog(options, (host) => context(request, host))
    })
}

export function addRecallCommand({
  command,
  withSpaceOptions,
  withServerOptions,
  server,
  withLog,
  place,
}: CommandFrame): void {
  narrowed(
    withServerOptions(withSpaceOptions(command('recall <query>', 'find evidence for a question, with its sources'))),
  )
    .option('--also <space...>', 'more spaces of the tenant to search')
    .option('--mode <mode>', modeHelp)
    .option('--kind <kind...>', `only memories of these kinds: ${kinds.join(', ')}`)
    .option('--limit <number>', 'largest number of memories (10; with --budget, as many as fit)')
    .option('--budget <tokens>', 'largest size of the evidence in tokens (cl100k)')
    .option('--generation <id>', 'search this generation instead of the live one')
    .option('--explain', 'list every candidate with its score, its size, and why it was taken or left out')
    .option('--agentic', 'let a model search one space with the tools, step by step; needs LOOMLOG_MODEL')
    .option('--answer', 'answer in words, with citations, if the evidence holds the answer; needs LOOMLOG_MODEL')
    .action(async (query: string, options: SpaceOptions & RecallFlags & TextParameters) => {
      const { also: others = [], dir: _dir, tenant: _tenant, space: _space, ...textParameters } = options
      const { tenant } = place(options)
      const also = others.map((space) => checkedAddress({ tenant, space }).space)
      const answer = options.answer ? 'wanted' : 'not-wanted'
      const search = searchOf(options)
      const { generation = null } = options
      const request = {
        ...json(options),
        query,
        also,
        textParameters,
        answer,
        search,
        generation,
        place: place(options),
      } as const
      const from = server(options)
      if (from !== null) return (await import('./server/recall.ts')).recallFromServer(from, request)
      const { recall } = await import('./commands/recall.ts')
      await withLog(options, (host) => recall(request, host))
    })
}
