/** A file to import, for tests: written into a temporary folder, recognised and planned. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { FormatName } from '../formats/names.ts'
import { type ImportPlan, type PlanOptions, planImport } from './plan.ts'
import { recognisedFormat } from './recognise.ts'
import { type ImportSource, openFileSource } from './source.ts'

export interface PlannedFile {
  readonly source: ImportSource
  readonly plan: ImportPlan
  readonly options: PlanOptions
}

export async function writtenSource(t: TestContext, content: string | Uint8Array): Promise<ImportSource> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-import-'))
  t.after(() => rm(dir, { recursive: true }))
  const file = join(dir, 'talk.json')
  await writeFile(file, content)
  return openFileSource(file, new AbortController().signal)
}

export async function plannedFile(
  t: TestContext,
  content: string,
  named: FormatName | null = null,
): Promise<PlannedFile> {
  const source = await writtenSource(t, content)
  const recognised = await recognisedFormat(source, named)
  const names = { tenant: 'default', space: null, defaultSpace: 'home', speaker: 'user', conversation: null, at: null }
  const reading = { ...names, fileName: 'talk', fileTime: '2026-03-02T09:00:00.000Z', appendedAt: 0 }
  const options = { recognised, reading, signal: new AbortController().signal }
  return { source, plan: await planImport(source, options), options }
}
