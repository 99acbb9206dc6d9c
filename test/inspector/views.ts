/** The views of the inspector on the demo's memory, each with the steps that show it. */
import type { Page } from 'playwright-core'

export interface View {
  readonly name: string
  show(page: Page): Promise<void>
}

async function goTo(page: Page, fragment: string): Promise<void> {
  // A dialog of the previous view closes.
  await page.keyboard.press('Escape')
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
  {
    name: 'correction',
    async show(page) {
      await goTo(page, '#/spaces/demo/documents')
      await page.locator('.entry a').first().click()
      await page.locator('.node').first().waitFor()
      await page.getByRole('button', { name: 'Correct…' }).click()
      await page.getByLabel('The right words').fill('Tomas fitted the water pump on 30 April 2026.')
      await page.getByLabel('In the name of').fill('Tomas')
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.locator('.effects').waitFor()
    },
  },
  {
    name: 'generations',
    async show(page) {
      await goTo(page, '#/generations')
      await page.locator('.generations > li').first().waitFor()
      await page.getByLabel('Settings, one a line').fill('topic-loom.maxUtterances=12')
      await page.getByRole('button', { name: 'Plan with its price' }).click()
      await page.getByRole('button', { name: 'Start it beside the live one' }).waitFor()
    },
  },
  {
    name: 'operations',
    async show(page) {
      await goTo(page, '#/operations')
      await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
      await page.getByRole('heading', { name: 'Stages and views' }).waitFor()
    },
  },
]
