import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import test, { describe } from 'node:test'
import { processorsOf } from '@loomlog/app/processors'
import type { Processor } from '@loomlog/runtime/processor'
import { repositoryFiles, root, stageFolders, stages, textOf } from './sources.ts'

/** Every processor has the same files, so that a reader who knows one knows all. */
const everyFolderHolds = [
  'README.md',
  'package.json',
  'local.ts',
  'processor.ts',
  'prompts/',
  'state.ts',
  'step.test.ts',
  'step.ts',
  'task-types.ts',
  'tasks.ts',
]

async function processorOf(folder: string): Promise<Processor> {
  const exported = Object.values(await import(`${root}${folder}/processor.ts`))
  assert.equal(exported.length, 1, 'processor.ts exports the processor and nothing else')
  return exported[0] as Processor
}

test('the application has the processors in services, and no other', () => {
  const own = processorsOf({ extensions: [] }).map(({ stage }) => stage)
  assert.deepEqual(own.toSorted(), stages)
})

/** Files that name the stages in an example, or in a report of the past. */
const examples = new Set([
  'CHANGELOG.md',
  'packages/generations/garbage.test.ts',
  'packages/recall/README.md',
  'packages/recall/request/filter.test.ts',
  'services/publisher/fixture.ts',
])

test('CONTRIBUTING.md names every file that lists the stages', () => {
  const page = textOf('CONTRIBUTING.md')
  const lists = repositoryFiles.filter((path) => {
    const text = textOf(path)
    return !path.startsWith('docs/figures/') && !examples.has(path) && stages.every((stage) => text.includes(stage))
  })
  const missing = lists.filter((path) => !page.includes(`\`${path}\``))
  const advice = 'Derive the list from packages/app/processors.ts, or name the file under "To add a processor".'
  assert.deepEqual(missing, [], advice)
})

for (const path of stageFolders) {
  describe(path, () => {
    const stage = basename(path)
    const folder = `${root}${path}`

    test('has the files that every processor has, under the same names', () => {
      const found = globSync('**', {
        cwd: folder,
        withFileTypes: true,
        exclude: (each) => each.name === 'node_modules',
      })
        .filter((each) => each.parentPath === folder)
        .map((each) => (each.isDirectory() ? `${each.name}/` : each.name))
      const missing = everyFolderHolds.filter((name) => !found.includes(name))
      assert.deepEqual(missing, [], `write them as in services/topic-loom`)
    })

    test('its stage has the name of its folder', async () => {
      assert.equal((await processorOf(path)).stage, stage)
    })

    test('the ids that its step derives are those of its own stage', () => {
      for (const file of globSync('**/*.ts', { cwd: folder, exclude: (name) => /\.test\.ts$|node_modules/.test(name) }))
        for (const [call, name] of readFileSync(`${folder}/${file}`, 'utf8').matchAll(/derivedId\(\s*'([^']*)'/g))
          assert.equal(name, stage, `${file}: ${call}`)
    })

    test('writes a topic of its own, which is derived from the one that it reads', async () => {
      const { reads, writes } = await processorOf(path)
      assert.deepEqual([writes.derivedFrom, writes.writers], [reads.name, [stage]])
    })

    test('has one current prompt for each of its tasks, and no prompt without a task', async () => {
      const { tasks } = await processorOf(path)
      const named = tasks.flatMap((task) => (task.prompt === null ? [] : [`${task.prompt}.md`]))
      const kept = globSync('*', { cwd: `${folder}/prompts` })
      const missing = named.filter((file) => !kept.includes(file))
      const orphans = kept.filter((file) => !named.some((current) => isVersionOf(file, current)))
      assert.deepEqual({ missing, orphans }, { missing: [], orphans: [] })
    })

    test('each of its prompts says the task, its version, and what goes in and out, before the text', () => {
      for (const file of globSync('*', { cwd: `${folder}/prompts` })) {
        const [, task, version] = /^([a-z-]+)\.v(\d+)\.md$/.exec(file) ?? []
        assert.ok(task !== undefined, `${file}: prompts are called <task>.v<n>.md`)
        const text = readFileSync(`${folder}/prompts/${file}`, 'utf8')
        assert.match(text, new RegExp(`^---\ntask: ${task}\nversion: ${version}\nin: .+\nout: .+\n---\n\n\\S`), file)
      }
    })
  })
}

/**
 * Whether this file is the task's current prompt or an earlier version of it, which recorded derivations still name.
 */
function isVersionOf(file: string, current: string): boolean {
  return file.replace(/\.v\d+\.md$/, '') === current.replace(/\.v\d+\.md$/, '')
}
