/** For tests and benches: an application without stages. It has no generation and no parked input. */
import { LoomlogError } from '@loomlog/errors'

const none = async () => {
  throw new LoomlogError('not-found', 'this gateway has no stages')
}

export const applicationWithoutStages = {
  inspector: null,
  beginningOf: async () => 0,
  answersOf: async () => [],
  answerText: none,
  generations: {
    list: none,
    details: none,
    plan: none,
    start: none,
    applyStatusAction: none,
    promote: none,
    rollBack: none,
    retire: none,
    collect: none,
    compare: none,
  },
  forgettings: { request: none, read: none },
  parked: { list: async () => [], details: none, retry: none },
}
