import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordEmbedder } from './words.ts'

const embedder = wordEmbedder()

const beach = 'We are going to the beach with the kids tomorrow.'
const sea = "Tomorrow I'm taking my children to the seaside."
const tax = 'The tax office has not answered my letter yet.'

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return (a ?? new Float32Array()).reduce((sum, x, n) => sum + x * (b?.[n] ?? 0), 0)
}

test('two sentences with one meaning are nearer than two with different ones', async () => {
  const [a, b, c] = await embedder.embed([beach, sea, tax])
  assert.ok(dot(a, b) > dot(a, c) + 0.3, `${dot(a, b)} and ${dot(a, c)}`)
  assert.equal(a?.length, embedder.vectorSpace.dimensions)
  assert.ok(Math.abs(dot(a, a) - 1) < 1e-6)
})

test('a question is nearest to its answer', async () => {
  const question = 'Where did Ann learn to bake bread?'
  const texts = ['I took a sourdough class in Lyon.', 'My car needs new tyres.', 'The meeting moved to Thursday.']
  const [asked, ...answers] = await embedder.embed([question, ...texts])
  const scores = answers.map((answer) => dot(answer, asked))
  assert.equal(scores.indexOf(Math.max(...scores)), 0, scores.join(' '))
})

test('a text has the same bits in any order and in any batch', async () => {
  const [alone] = await embedder.embed([beach])
  const [, together] = await embedder.embed([tax, beach, sea], { shape: 'batched' })
  assert.deepEqual(together, alone)
})

test('the vectors are those of the recorded answers and thresholds', async () => {
  const [vector] = await embedder.embed([beach])
  const tenThousandths = [...(vector ?? [])].slice(0, 4).map((component) => Math.round(component * 10_000))
  assert.deepEqual(tenThousandths, [1404, 606, -1989, -2301])
})

test('accents and case make no difference; unknown pieces add nothing', async () => {
  const [plain, accented, emoji] = await embedder.embed(['creme brulee', 'Crème BRÛLÉE', 'creme brulee 😀'])
  assert.deepEqual(accented, plain)
  assert.deepEqual(emoji, plain)
})

test('an empty text, and one of unknown pieces alone, has the zero vector', async () => {
  for (const vector of await embedder.embed(['', '  \n', '😀', '\ud800'])) assert.ok(vector.every((each) => each === 0))
})

test('a text is read up to its 128th piece', async () => {
  const words = Array.from({ length: 128 }, (_, n) => ['dog', 'river', 'table'][n % 3]).join(' ')
  const [whole, cut] = await embedder.embed([`${words} ${'elephant '.repeat(20_000)}`, words])
  assert.deepEqual(whole, cut)
})
