/**
 * Debian's Chromium, headless, driven for tests and pictures. A page collects every report of a broken policy and
 * every error of its console, so that a test can expect none.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))

/** Why tests with a browser are skipped; false: they run. */
export const noBrowser = executablePath === undefined ? 'there is no Chromium: install the package chromium' : false

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
}

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
}

export interface ObservedPage {
  readonly page: Page
  /** Broken policies, errors, and requests to another host. */
  readonly faults: string[]
}

export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<ObservedPage> {
  const { width = 1280, height = 860, scheme = 'light' } = options
  const viewport = { width, height }
  const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const faults: string[] = []
  const { origin } = new URL(url)
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      faults.push(`a request to ${request.url()}`)
  })
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))",
  )
  await page.goto(url)
  return { page, faults }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Violations of WCAG 2 A and AA, each with its first element. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  // The page's policy allows no script but its own: this one comes from outside of the page.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: axe })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) =>
      JSON.stringify(violations.map(({ id, nodes: [node] }) => id + ': ' + node?.html.slice(0, 200) + ' ' + node?.failureSummary)))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  return JSON.parse(String(result.value))
}
