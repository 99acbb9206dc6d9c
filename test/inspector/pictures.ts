/**
 * `npm run inspector:pictures`: pictures of every view of the inspector, on the demo's memory, in light and dark, wide
 * and narrow, for docs/public/inspector.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBrowser, openPage } from './browser.ts'
import { serveMemory } from './served-memory.ts'
import { views } from './views.ts'

const folder = process.argv[2] ?? fileURLToPath(new URL('../../docs/public/inspector', import.meta.url))
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 740 } }

await mkdir(folder, { recursive: true })
const served = await serveMemory('demo')
const browser = await openBrowser()
try {
  for (const [size, { width, height }] of Object.entries(sizes)) {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, faults } = await openPage(browser, served.url, { width, height, scheme })
      for (const { name, show } of views) {
        await show(page)
        await page.screenshot({ path: join(folder, `${name}-${size}-${scheme}.png`) })
      }
      if (faults.length > 0) throw new Error(faults.join('\n'))
      await page.close()
    }
  }
} finally {
  await browser.close()
  await served.close()
}
