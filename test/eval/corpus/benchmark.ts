/** The corpus as a benchmark of evidence: each conversation in a space of its own, its questions by kind. */
import { spaceKey } from '@loomlog/schemas/ids'
import type { Benchmark } from '../evidence/benchmark.ts'
import type { Dataset, Question, Turn } from '../evidence/dataset.ts'
import { ingestLines } from '../evidence/memory.ts'
import { messageBaselines } from '../evidence/message-baselines.ts'
import { type CorpusConversation, questionKinds, readCorpus } from './conversation.ts'

const name = 'corpus'

export const corpus: Benchmark = {
  name,
  groups: [...questionKinds.filter((kind) => kind !== 'never'), 'all'],
  read: readDataset,
  async ingest(_dataset, path, dir) {
    for (const conversation of readCorpus(path))
      console.log(await ingestLines(jsonLinesOf(conversation), `${name}-${conversation.name}`, dir))
  },
  spaceOf: (sample) => spaceKey('default', `${name}-${sample}`),
  baselinesOf: messageBaselines,
}

function readDataset(path: string): Dataset {
  const samples = readCorpus(path).map((conversation) => {
    const { name: id, messages, questions } = conversation
    const sessions = [...new Set(messages.map((message) => message.conversation))]
    const turns = messages.map(({ id, conversation, at, speaker, role, text }): Turn => {
      return { id, session: sessions.indexOf(conversation), date: at, speaker, words: text, isPerson: role === 'human' }
    })
    return { id, turns, questions: questions.map((each, index) => questionOf(each, index, id)) }
  })
  return { samples, droppedIds: [], withoutGold: [] }
}

function questionOf(
  { ask, kind, gold, stale, answer }: CorpusConversation['questions'][number],
  index: number,
  sample: string,
): Question {
  const update = kind === 'current' ? { update: { older: stale, newer: gold } } : {}
  return { sample, index, text: ask, answer, category: kind, gold, ...update }
}

/** The messages as lines of `loomlog ingest`, without their marks. */
function jsonLinesOf({ messages }: CorpusConversation): string {
  return messages
    .map(
      ({ id, conversation, speaker, role, at, text }) =>
        `${JSON.stringify({ id, conversation, speaker, role, at, text })}\n`,
    )
    .join('')
}
