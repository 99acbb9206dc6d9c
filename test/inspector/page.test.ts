/** The page in a real browser, on a real server: a short part of `npm run test:inspector`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { serveMemory } from './served-memory.ts'

test('an utterance is on the page as soon as it is appended', { skip: noBrowser }, async (t) => {
  const [served, browser] = await Promise.all([serveMemory('empty'), openBrowser()])
  t.after(async () => {
    await browser.close()
    await served.close()
  })
  const { page, faults } = await openPage(browser, `${served.url}/#/spaces/home/stream`)
  await page.locator('.streams.is-live').waitFor()
  await served.memory.space('home').add({ conversation: 'first', speaker: 'Maya', text: 'I live in Aveiro.' })
  await page.locator('.said', { hasText: 'I live in Aveiro.' }).waitFor()
  assert.deepEqual(faults, [])
})
