/**
 * The form of the corpus: every mark names messages of its conversation, and every question has what its kind needs.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { learnedWeights } from '@loomlog/recall/weights'
import { corpus } from '../eval/corpus/benchmark.ts'
import { type CorpusConversation, questionKinds, readCorpus } from '../eval/corpus/conversation.ts'
import { sharedPhrases } from '../eval/corpus/phrase-overlap.ts'
import { fingerprintOf } from '../eval/evidence/dataset.ts'

const folderOf = (name: string) => fileURLToPath(new URL(`./${name}/`, import.meta.url))
const folders = ['learn', 'judge', 'plain'].map((folder) => ({ folder, conversations: readCorpus(folderOf(folder)) }))
const all = folders.flatMap(({ conversations }) => conversations)

/** The share of a conversation's sequences of six words that another conversation has, too. */
const mostShared = 0.01

describe('the corpus', () => {
  for (const conversation of all) {
    it(`${conversation.name}: marks name earlier messages, and questions have their gold`, () => {
      assert.deepEqual(faultsOf(conversation), [])
    })
  }

  it('names each conversation once', () => {
    assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
  })

  it('has as many conversations as its README says', () => {
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
    for (const { folder, conversations } of folders)
      assert.ok(readme.includes(`| \`${folder}/\` | ${conversations.length} |`), `${folder}: ${conversations.length}`)
  })

  it('has every conversation that taught the weights of recall in `learn`', () => {
    const known = new Set(corpus.read(folderOf('learn')).samples.map(fingerprintOf))
    const { learnedFrom = [] } = learnedWeights
    assert.equal(learnedFrom.length, 31)
    assert.deepEqual(
      learnedFrom.filter((each) => !known.has(each)),
      [],
    )
  })

  it('has conversations that share hardly a phrase', () => {
    const shared = sharedPhrases(all).filter(({ share }) => share > mostShared)
    assert.deepEqual(shared, [])
  })
})

function faultsOf({ messages, questions }: CorpusConversation): readonly string[] {
  const faults: string[] = []
  const places = new Map(messages.map(({ id }, at) => [id, at]))
  if (places.size !== messages.length) faults.push('an id names two messages')
  for (const [at, { id, changes, seems, at: time }] of messages.entries()) {
    const earlier = [...changes.flatMap(({ was }) => was), ...seems]
    faults.push(
      ...earlier
        .filter((other) => (places.get(other) ?? at) >= at)
        .map((other) => `${id} marks ${other}, which is not earlier`),
    )
    if (time < (messages[at - 1]?.at ?? '')) faults.push(`${id} is earlier than the message before`)
  }
  for (const { question, kind, gold, stale } of questions) {
    if (!questionKinds.includes(kind)) faults.push(`${question} is of the kind ${kind}`)
    if ((gold.length === 0) !== (kind === 'never'))
      faults.push(`${question} of kind ${kind} has ${gold.length} gold messages`)
    if (kind === 'current' && stale.length === 0) faults.push(`${question} has no outdated message`)
    faults.push(
      ...[...gold, ...stale]
        .filter((id) => !places.has(id))
        .map((id) => `${question} names ${id}, which is no message`),
    )
  }
  return faults
}
