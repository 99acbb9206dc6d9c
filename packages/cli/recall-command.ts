/** The commands `recall` and `context`, and their options. */
import { analysisMethods, defaultContextTokens, waitReaches } from '@loomlog/recall/choices'
import { kinds } from '@loomlog/recall/memory'
import type { TextParameters } from '@loomlog/recall/parameters'
import type { Mode } from '@loomlog/recall/request'
import { type Command, Option } from 'commander'
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

interface RecallOptions extends SpaceOptions, TextParameters {
  readonly also?: string[]
  readonly answer?: true
  readonly explain?: true
  readonly agentic?: true
  readonly generation?: string
}

/** Adds the options that `recall` and `context` share: filters, times, and the wait for a position. */
function narrowed(made: Command): Command {
  return made
    .option('--speaker <name...>', 'only utterances of these speakers')
    .option('--conversation <id...>', 'only these conversations')
    .option('--from <time>', 'only from this time on: a day, or a time with a zone')
    .option('--to <time>', 'only before this time')
    .addOption(
      new Option('--understanding <who>', 'analysis of the question; the model takes one call; default rules').choices(
        analysisMethods,
      ),
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
    .addOption(
      new Option('--reach <reach>', 'with --after: the part of the log that is waited for').choices(waitReaches),
    )
    .option('--wait <ms>', 'with --after: longest wait (5000)')
}

export function addContextCommand({
  command,
  withSpaceOptions,
  withServerOptions,
  withMemory,
  place,
}: CommandFrame): void {
  const about = 'the text to put before an agent: instructions, what holds now, and evidence, within a budget'
  narrowed(withServerOptions(withSpaceOptions(command('context [query]', about))))
    .option('--budget <tokens>', `largest size in tokens (cl100k); default ${defaultContextTokens}`)
    .option('--for <speaker>', 'the speaker of the request: only their standing instructions, and those for everybody')
    .action(async (query: string | undefined, options: SpaceOptions & TextParameters) => {
      const { context } = await import('./commands/context.ts')
      const request = { ...json(options), query, options, place: place(options) }
      await withMemory(options, (memory) => context(request, memory))
    })
}

export function addRecallCommand({
  command,
  withSpaceOptions,
  withServerOptions,
  withMemory,
  place,
}: CommandFrame): void {
  narrowed(
    withServerOptions(withSpaceOptions(command('recall <query>', 'find evidence for a question, with its sources'))),
  )
    .option('--also <space...>', 'more spaces of the tenant to search')
    .addOption(new Option('--mode <mode>', modeHelp).choices(Object.keys(modeTexts)))
    .addOption(new Option('--kind <kind...>', 'only memories of these kinds').choices(kinds))
    .option('--limit <number>', 'largest number of memories (10; with --budget, as many as fit)')
    .option('--budget <tokens>', 'largest size of the evidence in tokens (cl100k)')
    .option('--generation <id>', 'search this generation instead of the live one')
    .addOption(
      new Option(
        '--explain',
        'list every candidate with its score, its size, and why it was taken or left out',
      ).conflicts('agentic'),
    )
    .option('--agentic', 'let a model search one space with the tools, step by step; needs LOOMLOG_MODEL')
    .option('--answer', 'answer in words, with citations, if the evidence holds the answer; needs LOOMLOG_MODEL')
    .action(async (query: string, options: RecallOptions) => {
      const { recall } = await import('./commands/recall.ts')
      const { also, generation, answer, explain, agentic } = options
      const switches = { answer: answer && 'yes', explain: explain && 'yes', agentic: agentic && 'yes' } as const
      const request = {
        ...json(options),
        query,
        options,
        more: { ...switches, also, generation },
        place: place(options),
      }
      await withMemory(options, (memory, host) => recall(request, memory, host))
    })
}
