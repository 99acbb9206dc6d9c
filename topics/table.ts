/**
 * Writes the table of topics between its two markers in README.md: `node topics/table.ts`. With `--check` it writes
 * nothing, and exits with 1 if the table is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { catalogue, type TopicSpec } from './catalogue.ts'

const columns = ['topic', 'key and partitions', 'kept', 'records', 'written by', 'read by', 'content']
const between = /(?<=<!-- topics -->\n)[\s\S]*?(?=<!-- \/topics -->)/

function cellsOf(topic: TopicSpec): readonly string[] {
  return [
    topic.derivedFrom === null ? `\`${topic.name}\`` : `\`${topic.name}.<derivation>\``,
    topic.partitioning === 'space' ? '`tenant/space`, as `utterances`' : 'none, one partition',
    topic.retentionMs === null ? 'without limit' : `${topic.retentionMs / 86_400_000} days`,
    topic.records.join(', '),
    topic.writers.join(', '),
    topic.readers.join(', '),
    topic.about,
  ]
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}

const table = row(columns) + row(columns.map(() => '---')) + catalogue.map((topic) => row(cellsOf(topic))).join('')
const target = new URL('README.md', import.meta.url)
const page = readFileSync(target, 'utf8')
if (!between.test(page)) throw new Error('topics/README.md has lost its markers <!-- topics --> and <!-- /topics -->')
// A function, because a string would give `$` in the table a meaning.
const current = page.replace(between, () => `\n${table}\n`)

if (!process.argv.includes('--check')) writeFileSync(target, current)
else if (page !== current) {
  console.error('The table in topics/README.md is not current: run npm run generate')
  process.exit(1)
}
