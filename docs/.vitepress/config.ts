/** The site: docs/ and the READMEs of the repository, with local search. `npm run docs` builds it; a dead link fails. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { addressOf, sections } from './pages.ts'
import { rewriteLinks } from './repository-links.ts'
import { writeTextPages } from './text-pages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

export default defineConfig({
  title: 'loomlog',
  description: 'The replayable memory log for AI agents',
  lang: 'en',
  srcDir: '..',
  outDir: '../docs/.vitepress/dist',
  srcExclude: ['**/node_modules/**', '**/dist/**', '**/prompts/**', 'README.md', '.*/**', '**/.venv/**'],
  rewrites: addressOf,
  cleanUrls: true,
  // A heading may end with {id}, which is no attribute here.
  markdown: { attrs: { disable: true }, config: rewriteLinks },
  vite: { publicDir: fileURLToPath(new URL('../public', import.meta.url)) },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start/embedded' },
      { text: 'Concepts', link: '/concepts/log' },
      { text: 'API', link: '/api' },
    ],
    sidebar: sections.map(({ text, items }) => ({ text, items: [...items] })),
    search: { provider: 'local' },
    outline: [2, 3],
  },
  buildEnd({ pages, outDir }) {
    writeTextPages(root, outDir, pages)
  },
})
