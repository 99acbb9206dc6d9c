/**
 * The pages of the site, by section, as the side bar and llms.txt list them. The site has docs/ at its root, and the
 * README of each folder of the repository under rooms/.
 */
interface Page {
  readonly text: string
  /** The address, without an ending. */
  readonly link: string
}

interface Section {
  readonly text: string
  readonly items: readonly Page[]
}

const page = (text: string, link: string): Page => ({ text, link })

export const sections: readonly Section[] = [
  {
    text: 'Start',
    items: [
      page('In your program', '/start/embedded'),
      page('A server', '/start/server'),
      page('Kafka', '/start/kafka'),
    ],
  },
  {
    text: 'Concepts',
    items: [
      page('The log', '/concepts/log'),
      page('Boxes', '/concepts/boxes'),
      page('Facts', '/concepts/facts'),
      page('Timelines', '/concepts/timelines'),
      page('Documents and profiles', '/concepts/documents'),
      page('Generations', '/concepts/generations'),
      page('Corrections', '/concepts/corrections'),
      page('The feed', '/concepts/feed'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('The inspector', '/guides/inspector'),
      page('Import', '/guides/import'),
      page('MCP', '/guides/mcp'),
      page('Frameworks', '/guides/frameworks'),
      page('Python', '/guides/python'),
      page('Subscribe', '/guides/subscribe'),
      page('Re-derive and promote', '/guides/promote'),
      page('Correct', '/guides/correct'),
      page('Export', '/guides/export'),
      page('Grow to Kafka', '/guides/grow'),
      page('Bring a model', '/guides/model'),
      page('Judge a model', '/small-models'),
      page('A transcript', '/transcript'),
    ],
  },
  {
    text: 'Operation',
    items: [
      page('Access', '/access'),
      page('Encryption', '/guides/encryption'),
      page('Forgetting', '/guides/forgetting'),
      page('Services, health, upgrades', '/rooms/packages/host'),
      page('Traces', '/traces'),
      page('Failures', '/failures'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Library', '/reference/library'),
      page('HTTP API', '/api'),
      page('Messages', '/messages'),
      page('Commands', '/commands'),
      page('Options', '/reference/options'),
      page('Settings', '/settings'),
      page('Errors', '/reference/errors'),
      page('Metrics', '/metrics'),
      page('Subscribing', '/subscribing'),
      page('Topics', '/rooms/topics'),
      page('Schemas', '/rooms/schemas'),
    ],
  },
  {
    text: 'Background',
    items: [
      page('Measured', '/measured'),
      page('Tested, and not tested', '/tested'),
      page('Architecture', '/rooms/architecture'),
      page('Decisions', '/decisions/'),
    ],
  },
]

/** The address of a Markdown file, as a file of the site: services/gateway/README.md is rooms/services/gateway.md. */
export function addressOf(file: string): string {
  if (file === 'docs/index.md') return 'index.md'
  if (file.startsWith('docs/')) return file.slice('docs/'.length).replace(/README\.md$/, 'index.md')
  const room = file.replace(/\/README\.md$/, '.md')
  return `rooms/${room.includes('/') ? room : room.toLowerCase()}`
}
