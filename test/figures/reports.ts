/** The blocks of all Markdown files that report measured figures. */
import type { Block } from './blocks.ts'
import { answerBlocks } from './reports/answers.ts'
import { appendBlocks } from './reports/append.ts'
import { filesBlocks } from './reports/files.ts'
import { fuzzBlocks } from './reports/fuzz.ts'
import { kafkaBlocks } from './reports/kafka.ts'
import { modelBlocks } from './reports/models.ts'
import { overviewBlocks } from './reports/overview.ts'
import { recallBlocks } from './reports/recall.ts'
import { redTeamBlocks } from './reports/red-team.ts'
import { soakBlocks } from './reports/soak.ts'
import { topicLoomBlocks } from './reports/topic-loom.ts'

export const blocks: readonly Block[] = [
  ...overviewBlocks,
  ...recallBlocks,
  ...topicLoomBlocks,
  ...kafkaBlocks,
  ...modelBlocks,
  ...soakBlocks,
  ...fuzzBlocks,
  ...answerBlocks,
  ...appendBlocks,
  ...redTeamBlocks,
  ...filesBlocks,
]
