/** `loomlog context [QUERY]`: the text that an agent is given by default, with the sources of each line below it. */
import type { ContextOptions, Memory } from '@loomlog/client/memory'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { contextParameters, type TextParameters } from '@loomlog/recall/parameters'
import { cell, faint, type Output, print, printable, printJson, printUnknownNames, withNameError } from '../print.ts'
import { printQuestionAnalysis } from '../recall-explanation.ts'
import { parametersOf, printFailures } from './recall.ts'

export interface ContextCommand extends Output {
  /** Undefined: no question. */
  readonly query: string | undefined
  readonly place: SpaceAddress
  /** Options of the command; those that are no parameter of a context are left out. */
  readonly options: TextParameters
}

export async function context({ query, place, options, json }: ContextCommand, memory: Memory): Promise<void> {
  const parameters: ContextOptions = parametersOf(options, contextParameters)
  const block = await memory.space(place.space).context(query, parameters)
  printUnknownNames(block)
  if (json) return printJson(withNameError(block))
  const { text, items, space, failed, understood } = block
  printFailures(failed)
  if (understood) printQuestionAnalysis(understood)
  print(items.length === 0 ? `nothing found in ${space}` : printable(text))
  for (const [at, { kind, id, sources }] of items.entries()) {
    const from = kind === 'utterance' ? '' : `, from ${sources.map(cell).join(', ')}`
    print(faint(`${at + 1}  ${kind} ${cell(id)}${from}`))
  }
}
