/** The generated pages of docs/reference, by file. */
import { readFileSync } from 'node:fs'
import { errorsPage } from './errors-page.ts'
import { libraryPage } from './library-page.ts'
import { optionsPage } from './options-page.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/library.md': libraryPage({
      opening: read('packages/app/memory/open-memory.ts'),
      client: read('packages/client/loomlog-client.ts'),
      memory: read('packages/client/memory.ts'),
    }),
    'docs/reference/options.md': await optionsPage(),
  }
}
