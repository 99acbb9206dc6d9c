/**
 * The site as text, for agents: each page as Markdown beside its HTML, `llms.txt` with one line a page, and
 * `llms-full.txt` with every page of the side bar.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addressOf, sections } from './pages.ts'

/** @param files Markdown files, as paths from the root */
export function writeTextPages(root: string, folder: string, files: readonly string[]): void {
  const texts = new Map(files.map((file) => [addressOf(file), readFileSync(join(root, file), 'utf8')]))
  for (const [address, text] of texts) {
    mkdirSync(dirname(join(folder, address)), { recursive: true })
    writeFileSync(join(folder, address), text)
  }
  const lines = sections.flatMap(({ text, items }) => [
    `\n## ${text}\n`,
    ...items.map((page) => {
      const address = fileOf(page.link)
      return `- [${page.text}](/${address}): ${firstSentence(texts.get(address) ?? '')}`
    }),
  ])
  const index = ['# loomlog', '', `> ${firstSentence(texts.get('index.md') ?? '')}`, ...lines].join('\n')
  writeFileSync(join(folder, 'llms.txt'), `${index}\n`)
  const listed = sections.flatMap(({ items }) => items.map(({ link }) => texts.get(fileOf(link)) ?? ''))
  writeFileSync(join(folder, 'llms-full.txt'), listed.join('\n\n---\n\n'))
}

function fileOf(link: string): string {
  return `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`
}

/** The first sentence after the title. */
function firstSentence(text: string): string {
  const paragraph = text
    .split('\n\n')
    .find((each) => /^[A-Z]/.test(each))
    ?.replaceAll('\n', ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return paragraph?.split(/(?<=[.:]) (?=[A-Z])/)[0] ?? ''
}
