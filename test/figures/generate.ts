/**
 * Writes the measured figures into the READMEs: `npm run generate`. With `--check` it writes nothing and exits 1 if a
 * README differs from the result files.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { blocksIn, fillBlock } from './blocks.ts'
import { blocks } from './reports.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const isCheck = process.argv.includes('--check')

const markdown = globSync('{*.md,{docs,packages,services,schemas,topics,test,deploy}/**/*.md}', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})
const stale: string[] = []
for (const file of markdown) {
  const text = readFileSync(`${root}${file}`, 'utf8')
  const own = blocks.filter((block) => block.file === file)
  const unknown = blocksIn(text).find((name) => !own.some((block) => block.name === name))
  if (unknown !== undefined)
    throw new Error(`${file} has a block ${unknown}, which test/figures/reports.ts does not have`)
  const generated = own.reduce(fillBlock, text)
  if (generated === text) continue
  stale.push(file)
  if (!isCheck) writeFileSync(`${root}${file}`, generated)
}
const missing = blocks.find(({ file }) => !markdown.includes(file))
if (missing !== undefined) throw new Error(`there is no ${missing.file}, which should have the block ${missing.name}`)
if (isCheck && stale.length > 0) {
  console.error(`${stale.join(', ')}: figures differ from docs/figures; run npm run generate`)
  process.exitCode = 1
}
