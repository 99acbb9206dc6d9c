/** The inspector in a real browser, on a real server with the demo's memory. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { type ServedMemory, serveMemory } from './served-memory.ts'
import { views } from './views.ts'

describe('the inspector', { skip: noBrowser }, () => {
  let served: ServedMemory
  let browser: Browser
  before(async () => {
    ;[served, browser] = await Promise.all([serveMemory('demo'), openBrowser()])
  })
  after(async () => {
    await browser.close()
    await served.close()
  })

  test('every view loads and runs only files of the server', async () => {
    const { page, faults } = await openPage(browser, served.url)
    for (const { show } of views) await show(page)
    assert.deepEqual(faults, [])
    await page.close()
  })

  test('an utterance is on the page as soon as it is appended, and its fact beside it once its box is sealed', async (t) => {
    const { page, faults } = await openPage(browser, `${served.url}/#/spaces/demo/stream/standup-2026-05-11`)
    await page.locator('.streams.is-live').waitFor()
    await page.evaluate(
      `window.shifts = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifts += value }).observe({ type: 'layout-shift' })`,
    )
    const space = served.memory.space('demo')
    const said = { conversation: 'standup-2026-05-11', speaker: 'Maya', text: 'I live in Aveiro.' }
    await space.add(said)
    const appendedAt = performance.now()
    const row = page.locator('.said', { hasText: 'I live in Aveiro.' })
    await row.waitFor()
    t.diagnostic(`on the page ${Math.round(performance.now() - appendedAt)} ms after the reply`)
    await page.getByRole('heading', { name: 'Open box' }).waitFor()
    await row.locator('.fact', { hasText: 'Maya lives in Aveiro.' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Open box' }).count(), 0)
    const box = page.locator('.box-head', { hasText: 'I live in Aveiro.' })
    await box.getByText('sealed after a pause · decided by rules').waitFor()
    assert.ok(((await page.evaluate('window.shifts')) as number) < 0.001, 'what is on the page stays in its place')
    assert.deepEqual(faults, [])
    await page.close()
  })

  test('the keyboard reaches a view and its rows, with a visible focus', async () => {
    const { page } = await openPage(browser, `${served.url}/#/spaces/demo/stream`)
    await page.locator('.said').first().waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent || document.activeElement.ariaLabel')
    const press = async (key: string, wanted: string) => {
      for (let presses = 0; presses < 20 && (await focused()) !== wanted; presses++) await page.keyboard.press('Tab')
      assert.equal(await focused(), wanted)
      assert.notEqual(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none')
      await page.keyboard.press(key)
    }
    await press('Enter', 'Documents')
    await page.locator('.entry').first().waitFor()
    assert.equal(await page.getByRole('link', { name: 'Documents', exact: true }).getAttribute('aria-current'), 'page')
    await page.close()
  })
})
