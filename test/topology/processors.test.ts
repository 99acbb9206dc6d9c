import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test, { describe } from 'node:test'
import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import { root, stages } from './sources.ts'

/** Learn one processor and you know all. */
const everyFolderHolds = [
  'README.md',
  'package.json',
  'local.ts',
  'processor.ts',
  'prompts/',
  'state.ts',
  'step.test.ts',
  'step.ts',
  'tasks.ts',
]

async function processorOf(stage: string): Promise<Processor> {
  const exported = Object.values(await import(`${root}services/${stage}/processor.ts`))
  assert.equal(exported.length, 1, 'processor.ts exports the processor and nothing else')
  return exported[0] as Processor
}

test('there are four processors', () => {
  assert.deepEqual(stages, ['consolidator', 'fact-extractor', 'topic-loom', 'trace-weaver'])
})

for (const stage of stages) {
  describe(stage, () => {
    const folder = `${root}services/${stage}`

    test('has the files that every processor has, under the same names', () => {
      const found = globSync('**', {
        cwd: folder,
        withFileTypes: true,
        exclude: (each) => each.name === 'node_modules',
      })
        .filter((each) => each.parentPath === folder)
        .map((each) => (each.isDirectory() ? `${each.name}/` : each.name))
      const missing = everyFolderHolds.filter((name) => !found.includes(name))
      assert.deepEqual(missing, [], `write them, as services/topic-loom has them`)
    })

    test('is called after its folder', async () => {
      assert.equal((await processorOf(stage)).stage, stage)
    })

    test('reads and writes what the catalogue says', async () => {
      const { reads, writes } = await processorOf(stage)
      assert.ok(topicSpec(reads).readers.includes(stage), `topics/catalogue.ts: ${stage} reads ${reads}`)
      assert.ok(topicSpec(writes).writers.includes(stage), `topics/catalogue.ts: ${stage} writes ${writes}`)
    })

    test('has one prompt for each of its tasks, and no other', async () => {
      const { tasks } = await processorOf(stage)
      const named = tasks.flatMap((task) => (task.prompt === null ? [] : [`${task.prompt}.md`]))
      const kept = globSync('*', { cwd: `${folder}/prompts` })
      const forgotten = named.filter((file) => !kept.includes(file))
      const orphans = kept.filter((file) => !named.some((current) => isVersionOf(file, current)))
      assert.deepEqual({ forgotten, orphans }, { forgotten: [], orphans: [] })
    })

    test('has a prompt for a model that says something', () => {
      for (const file of globSync('prompts/*', { cwd: folder })) {
        assert.match(file, /^prompts\/[a-z-]+\.v\d+\.md$/, 'prompts are called <task>.v<n>.md')
        assert.ok(readFileSync(`${folder}/${file}`, 'utf8').trim().length > 0, file)
      }
    })
  })
}

/** Is this file the task's current prompt, or an older one, which recorded derivations still name? */
function isVersionOf(file: string, current: string): boolean {
  return file.replace(/\.v\d+\.md$/, '') === current.replace(/\.v\d+\.md$/, '')
}
