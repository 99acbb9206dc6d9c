/**
 * Writes docs/openapi.json and docs/api.md from the schemas of the routes:
 * `node services/gateway/reference/generate.ts`. With `--check` it writes nothing, and exits with 1 if they are not
 * current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { temporaryGateway } from '../fixture.ts'
import type { ApiDocument } from './api-document.ts'
import { apiPage } from './api-page.ts'

const closing: (() => unknown)[] = []
const { app } = await temporaryGateway({ after: (close: () => unknown) => closing.push(close), diagnostic() {} })
const document: ApiDocument = (await app.inject('/openapi.json')).json()
for (const close of closing) await close()

const files = {
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/api.md': apiPage(document),
}
for (const [path, text] of Object.entries(files)) {
  const file = new URL(`../../../${path}`, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not current: run npm run generate`)
    process.exitCode = 1
  }
}
