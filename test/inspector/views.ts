/** The views of the inspector on the demo's memory, each with the steps that show it. */
import type { Page } from 'playwright-core'

export interface View {
  readonly name: string
  show(page: Page): Promise<void>
}

async function goTo(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`)
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('searchbox').fill(question)
  await page.keyboard.press('Enter')
}

export const views: readonly View[] = [
  {
    name: 'spaces',
    async show(page) {
      await goTo(page, '#/')
      await page.getByRole('link', { name: 'demo' }).waitFor()
    },
  },
  {
    name: 'live',
    async show(page) {
      await goTo(page, '#/spaces/demo/stream/standup-2026-03-02')
      await page.locator('.fact').first().waitFor()
    },
  },
  {
    name: 'documents',
    async show(page) {
      await goTo(page, '#/spaces/demo/documents')
      await page.locator('.entry').first().waitFor()
    },
  },
  {
    name: 'timelines',
    async show(page) {
      await goTo(page, '#/spaces/demo/timelines')
      await page.locator('.timeline').first().waitFor()
    },
  },
  {
    name: 'search',
    async show(page) {
      await goTo(page, '#/spaces/demo/search')
      await ask(page, 'Where does Maya live?')
      await page.locator('.candidate').first().waitFor()
      await page.locator('.candidate summary').first().click()
    },
  },
  {
    name: 'context',
    async show(page) {
      await goTo(page, '#/spaces/demo/context')
      await ask(page, 'Where does Maya live?')
      await page.locator('.context > li').first().waitFor()
    },
  },
  {
    name: 'why',
    async show(page) {
      await goTo(page, '#/spaces/demo/documents')
      await page.locator('.entry a').first().click()
      await page.locator('.node').first().waitFor()
      await page
        .getByRole('button', { name: /^Open \d+ cause/ })
        .first()
        .click()
      await page.waitForTimeout(300)
    },
  },
]
