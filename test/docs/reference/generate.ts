/**
 * Writes the pages of docs/reference from the code: `node test/docs/reference/generate.ts`, or `npm run generate`. A
 * test compares them (`reference.test.ts`).
 */
import { writeFileSync } from 'node:fs'
import { referencePages } from './pages.ts'

const pages = await referencePages()
for (const [file, text] of Object.entries(pages)) writeFileSync(new URL(`../../../${file}`, import.meta.url), text)
