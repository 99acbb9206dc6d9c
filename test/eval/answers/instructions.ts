/**
 * The instructions for readers and judges, written beside their sheets. Nothing in them names a memory, a budget or an
 * answer.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const reader = `# For the reader of a sheet

Each line of a sheet is an item: its number \`n\`, a \`question\`, and a \`context\`. Read one sheet at a time, and answer each question from its own
context alone: not from other items, and not from knowledge of the world. For sheet-01.jsonl write sheet-01.filled.jsonl, one line an item:

    {"n": 12, "answer": "on Tuesdays at six", "contradicts": false, "outdated": false}

- \`answer\`: the answer in one line, in the words of the context where possible; or \`not there\` if the context doesn't give it. A part of the answer is
  an answer. If the context has several values, answer the one that it shows as current, or as it was at the time that the question asks about.
- \`contradicts\`: true if the context states two values of the same thing that can't both hold, and neither dates, order nor marks say which one is
  current.
- \`outdated\`: true if the context shows, as if it were current, a value of the asked thing other than your answer. A value that is marked as
  changed, or is in a history with its end, is not shown as current.
`

const judge = `# For the judge

Each line of a sheet has a number \`n\`, a \`question\`, the right answer as \`gold\`, and a reader's \`answer\`. For sheet-01.jsonl write
sheet-01.filled.jsonl, one line an item:

    {"n": 3, "verdict": "right"}

- \`right\`: the answer says the core of the gold answer, in any words; further details may be missing, but none may be wrong. If the gold answer says
  that the thing was never stated, an answer is right if it says so too.
- \`wrong\`: it says something else, or only a value that no longer holds.
- \`not there\`: it says that the answer is not known.
`

export function writeInstructions(out: string): void {
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'READER.md'), reader)
  writeFileSync(join(out, 'JUDGE.md'), judge)
}
