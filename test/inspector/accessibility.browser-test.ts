/** Every view of the inspector by the rules of WCAG 2.2 AA, in light and dark, wide and narrow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults, noBrowser, openBrowser, openPage } from './browser.ts'
import { serveMemory } from './served-memory.ts'
import { views } from './views.ts'

test('every view is accessible in light and dark, wide and narrow', { skip: noBrowser }, async (t) => {
  const served = await serveMemory('demo')
  t.after(() => served.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      const { page } = await openPage(browser, served.url, { scheme, width })
      for (const { name, show } of views) {
        await show(page)
        assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${scheme}, ${width} px`)
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.equal(overflow, 0, `${name} is wider than ${width} px`)
      }
      await page.close()
    }
  }
})
