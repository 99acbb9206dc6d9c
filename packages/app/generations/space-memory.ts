/** The memory of one space as the views of one generation hold it now, without retired rows. */
import { LoomlogError } from '@loomlog/errors'
import type { SpaceMemory } from '@loomlog/generations/diff/memory'
import type { Condition } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { current, type Row } from '@loomlog/views/row'
import type { RowOf, Table } from '@loomlog/views/table'
import { boxes } from '@loomlog/views/tables/boxes'
import { entries } from '@loomlog/views/tables/entries'
import { facts } from '@loomlog/views/tables/facts'
import { links } from '@loomlog/views/tables/links'

/** Limit of rows a table: a comparison holds two whole memories of a space in memory. */
const maxRows = 200_000

/**
 * @param space `tenant/space`
 * @throws LoomlogError `input-invalid` for a space with more than `maxRows` rows in a table
 */
export async function spaceMemory(views: ViewReader, space: string): Promise<SpaceMemory> {
  const rows = async <T extends Table>(table: T) => {
    const found = await views.scan(table, { space, where: current as Condition<RowOf<T>>, limit: maxRows + 1 })
    if (found.length <= maxRows) return found
    const size = `${space} has more than ${maxRows.toLocaleString('en')} ${table.name}`
    throw new LoomlogError('input-invalid', `${size}, the limit of a comparison: name other spaces with --space`)
  }
  const lines = await rows(entries)
  const linesOf = (wanted: 'profile' | 'topic') =>
    lines
      .filter(({ kind }) => (kind === 'profile') === (wanted === 'profile'))
      .map(({ id, statement, sources, title, heading }) => {
        return { id, text: statement, sources, under: `${title} — ${heading}` }
      })
  return {
    boxes: (await rows(boxes)).map(({ id, conversation, lines, topic }) => ({
      id,
      conversation,
      utterances: lines.map((line) => ({ id: line.id, seq: line.seq })),
      topic,
    })),
    facts: (await rows(facts)).map(statementOf),
    links: (await rows(links)).map(({ id, event, previous, text }) => ({ id, event, previous, title: text })),
    topicLines: linesOf('topic'),
    profileLines: linesOf('profile'),
  }
}

function statementOf({ id, text, sources }: Row) {
  return { id, text, sources, under: '' }
}
