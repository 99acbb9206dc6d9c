/** Documents name files and identifiers that exist, so that a reader finds them. */
import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { basename, posix } from 'node:path'
import test, { describe } from 'node:test'
import { repositoryFiles, root, textOf } from './sources.ts'

const documents = repositoryFiles.filter((path) => path.endsWith('.md') && !path.includes('/prompts/'))
const names = new Set(repositoryFiles.map((path) => basename(path)))
const python = globSync('python/src/**/*.py', { cwd: root })
const code = [...repositoryFiles.filter((path) => /\.(ts|avsc|json|ya?ml)$/.test(path)), ...python].map(textOf)

/** Names in bad examples, of a file that a run writes, and of other programs. */
const foreign = new Set(['index.ts', 'asked.ts', 'info.json', 'KafkaAvroDeserializer', 'createRecordsBatch'])

function filesIn(document: string): readonly string[] {
  const quoted = [...textOf(document).matchAll(/`([\w@.-]+(?:\/[\w@.-]+)*\.(?:ts|md|avsc|json|ya?ml|sh))`/g)]
  return quoted.map(([, name = '']) => name).filter((name) => !foreign.has(name) && !/^[A-Z]+\//.test(name))
}

function isThere(name: string, document: string): boolean {
  if (!name.includes('/')) return names.has(name) || existsSync(`${root}${name}`)
  const beside = posix.join(posix.dirname(document), name)
  return (
    [name, beside].some((path) => existsSync(`${root}${path}`)) ||
    repositoryFiles.some((path) => path.endsWith(`/${name}`))
  )
}

describe('documents', () => {
  test('a file that is named exists', () => {
    const missing = documents.flatMap((document) =>
      filesIn(document)
        .filter((name) => !isThere(name, document))
        .map((name) => `${document}: ${name}`),
    )
    assert.deepEqual(missing, [], 'Name the file that took its place, or leave the sentence out.')
  })

  test('a link to a file leads there', () => {
    const broken = documents.flatMap((document) =>
      [...textOf(document).matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(`${root}${posix.join(posix.dirname(document), target)}`))
        .map((target) => `${document}: ${target}`),
    )
    assert.deepEqual(broken, [])
  })

  test('the index of decisions lists every decision', () => {
    const index = textOf('docs/decisions/README.md')
    const decisions = documents.filter((path) => /^docs\/decisions\/\d/.test(path)).map((path) => basename(path))
    assert.deepEqual(
      decisions.filter((name) => !index.includes(`(${name})`)),
      [],
    )
  })

  test('an identifier that is named exists', () => {
    const missing = documents.flatMap((document) =>
      [...textOf(document).matchAll(/`([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)(?:\(\))?`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !foreign.has(name) && !code.some((text) => text.includes(name)))
        .map((name) => `${document}: ${name}`),
    )
    assert.deepEqual(missing, [], 'Name what took its place, or leave the sentence out.')
  })
})
