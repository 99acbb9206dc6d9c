/** A conversation of 10,000 utterances. `npm run bench -- inspector` measures its times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { sayLongConversation } from './long-conversation.ts'
import { serveMemory } from './served-memory.ts'

const count = 10_000

test('of 10,000 utterances only those in view are elements, also while they scroll', { skip: noBrowser }, async (t) => {
  const served = await serveMemory('empty')
  t.after(() => served.close())
  await sayLongConversation(served, { space: 'many', utterances: count })
  const browser = await openBrowser()
  t.after(() => browser.close())
  const { page, faults } = await openPage(browser, `${served.url}/#/spaces/many/stream`)
  await page.locator('.said').first().waitFor({ timeout: 60_000 })
  await page.locator('.conversations .hint', { hasText: '10,000 utterances' }).waitFor({ timeout: 60_000 })
  const { scrolled, elements } = await page.evaluate<{ scrolled: number; elements: number }>(`new Promise((resolve) => {
    const list = document.querySelector('.rows')
    let left = 240, elements = 0
    const step = () => {
      list.scrollTop -= 900
      elements = Math.max(elements, document.querySelectorAll('.said').length)
      if (--left > 0) requestAnimationFrame(step)
      else resolve({ scrolled: list.scrollHeight - list.scrollTop, elements })
    }
    requestAnimationFrame(step)
  })`)
  assert.ok(scrolled > 50_000, `it scrolled ${scrolled} px`)
  assert.ok(elements < 100, 'only the rows in view are elements')
  assert.deepEqual(faults, [])
})
