/**
 * The figures of the corpus's measures on `test/corpus/plain`, whose conversation has the plain forms that rules read.
 */
import { fileURLToPath } from 'node:url'
import { readCorpus } from '../eval/corpus/conversation.ts'
import { factsMeasure } from '../eval/corpus/facts.ts'
import { instructionsMeasure } from '../eval/corpus/instructions.ts'
import { marksMeasure } from '../eval/corpus/marks.ts'
import type { CorpusMeasure } from '../eval/corpus/measure.ts'
import { openMemory, spaceOf } from './memory.ts'

export async function plainFigures() {
  const [conversation] = readCorpus(fileURLToPath(new URL('../corpus/plain/', import.meta.url)))
  if (conversation === undefined) throw new Error('expected one conversation')
  const { name, messages } = conversation
  const lines = messages.map(({ at, speaker, role, text }) => {
    return { at: at.replace('Z', ''), says: `${speaker}: ${text}`, ...(role !== 'human' && { role }) }
  })
  const memory = await openMemory({ [name]: lines })
  try {
    return await memory.withOptions(async (options) => {
      const judged = { space: spaceOf(name), memory: options, events: memory.events(name) }
      const figuresOf = async <T>({ of, figures }: CorpusMeasure<T>) => figures([await of(conversation, judged)])
      return {
        marks: await figuresOf(marksMeasure),
        facts: await figuresOf(factsMeasure),
        instructions: await figuresOf(instructionsMeasure),
      }
    })
  } finally {
    await memory.close()
  }
}
