/** The table of attacks in docs/access.md. */
import redTeam from '../../../docs/figures/red-team.json' with { type: 'json' }
import { type Block, table } from '../blocks.ts'

const { victim, both, replies } = redTeam.figures
const places: { readonly [from: string]: string } = {
  person: 'a person',
  tool: 'a tool',
  agent: 'an agent',
  conversation: 'another conversation',
  attachment: 'a description of an image',
  all: 'all',
}

const rows = victim.rows.map((row, index) => {
  const cited = both.rows[index]
  const beside = (count: number, other: number | undefined) => `${count}; ${other}`
  return [
    places[row.from] ?? row.from,
    `${row.attacks}`,
    beside(row.recorded, cited?.recorded),
    beside(row.wronglyAttributed, cited?.wronglyAttributed),
    beside(row.pinned, cited?.pinned),
    beside(row.leftAfterUndo, cited?.leftAfterUndo),
    beside(row.innocentFactsLost, cited?.innocentFactsLost),
  ]
})
const head = ['from', 'attacks', 'recorded', 'wrong author', 'pinned', 'left after the undo', 'innocent facts lost']
const { command, commit, machine, day } = redTeam
const kinds: { readonly [kind: string]: string } = {
  honest: 'a reply to the other message, or agreement with it',
  attack: 'a claim about a person, cited with an unrelated message of theirs',
}
const exchangeRows = replies.map(({ kind, half, exchanges, rightAuthors }) => [
  kinds[kind] ?? kind,
  half,
  `${exchanges}`,
  `${rightAuthors}`,
])
const exchangeHead = ['two cited messages', 'half', 'exchanges', 'right author']

export const redTeamBlocks: readonly Block[] = [
  {
    file: 'docs/access.md',
    name: 'red-team',
    lines: [
      ...table(head, rows),
      '',
      ...table(exchangeHead, exchangeRows),
      '',
      `\`${command}\` on ${commit}, ${day}; ${machine}.`,
    ],
  },
]
