import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Context, restate } from './restate.ts'

const monday8May = Date.UTC(2023, 4, 8, 13, 56)
const context: Context = { addressee: 'Bob', previous: [], participants: ['Ann', 'Bob'] }

function told(text: string, more: Partial<Context> = {}): string[] {
  return restate({ speaker: 'Ann', text, at: monday8May }, { ...context, ...more }).map((statement) => statement.text)
}

function table(rows: readonly (readonly [said: string, statements: readonly string[]])[]): void {
  for (const [said, statements] of rows) it(said, () => assert.deepEqual(told(said), statements))
}

describe('the first person becomes the speaker, and verbs agree', () => {
  table([
    ['I teach chemistry.', ['Ann teaches chemistry.']],
    ["I'm training for a marathon.", ['Ann is training for a marathon.']],
    ["I've finished my thesis.", ["Ann has finished Ann's thesis."]],
    ["I don't eat peanuts.", ["Ann doesn't eat peanuts."]],
    ["I'll repair the roof tomorrow.", ['Ann will repair the roof on 9 May 2023.']],
    ["I'd like to learn Welsh.", ['Ann would like to learn Welsh.']],
    ['My brother plays the cello.', ["Ann's brother plays the cello."]],
    ['The nurse gave me a green folder.', ['The nurse gave Ann a green folder.']],
    [
      'I cut myself some slack and taught myself Python.',
      ['Ann cut herself some slack.', 'Ann taught herself Python.'],
    ],
    ['My sister Emma lives in Porto, and the rent is lower there.', ["Ann's sister Emma lives in Porto."]],
    ['Grandma taught me to knit when I was seven.', ["Ann's grandma taught Ann to knit when Ann was seven."]],
  ])
})

describe('one utterance with three facts gives three statements', () => {
  table([
    [
      'I bought a kayak, my sister adopted a parrot and we painted the garage.',
      ['Ann bought a kayak.', "Ann's sister adopted a parrot.", 'Ann painted the garage.'],
    ],
    ['I visited Rome last year and met Tom Berg.', ['Ann visited Rome in 2022.', 'Ann met Tom Berg.']],
    ["I've been knitting a scarf and baking bread.", ['Ann has been knitting a scarf.', 'Ann has been baking bread.']],
    [
      'Sold my bike yesterday. Been learning Greek too.',
      ["Ann sold Ann's bike on 7 May 2023.", 'Ann has been learning Greek.'],
    ],
  ])
})

describe('times become absolute', () => {
  table([
    ['Yesterday I baked a walnut cake.', ['Ann baked a walnut cake on 7 May 2023.']],
    ['Last week, we hiked in the Alps.', ['Ann hiked in the Alps in the week of 1 May 2023.']],
    ['I recently bought a telescope.', ['Ann bought a telescope.']],
    ['Two years ago I quit my job at Acme.', ["Ann quit Ann's job at Acme in 2021."]],
  ])
})

describe('pronouns become their clear antecedents, or the clause is left out', () => {
  table([
    [
      'My daughter Lily got a violin. She practices every morning.',
      ["Ann's daughter Lily got a violin.", "Ann's daughter Lily practices every morning."],
    ],
    ['I adopted two kittens and they destroyed the sofa.', ['Ann adopted two kittens.']],
    ['Oliver hid his bone.', ["Oliver hid Oliver's bone."]],
    ['He moved to Peru in 2019.', []],
    ['I repaired it with duct tape.', []],
    ['I met Emma and Julia. She moved to Peru.', ['Ann met Emma and Julia.']],
    [
      'My mom sells pies. Her pies won a prize in 2019.',
      ["Ann's mom sells pies.", "Ann's mom's pies won a prize in 2019."],
    ],
    ['I was hiking when I came across it.', ['Ann was hiking.']],
    ['Our town deserves it.', []],
    ['I got the hang of it.', []],
    ['This trilogy is one of my favorites.', []],
    ['I ended up in this tiny blue theatre.', []],
    ['My brother has seen that sad movie.', []],
    [
      'I watched "The Sea of Trees". It is based on a book by Tom Berg.',
      ['Ann watched "The Sea of Trees".', '"The Sea of Trees" is based on a book by Tom Berg.'],
    ],
    ["I adopted a dog. He's called Rex.", ['Ann adopted a dog.', 'The dog is called Rex.']],
    ['I have a race in Oslo. It is on Saturday.', ['Ann has a race in Oslo.', 'The race is on 13 May 2023.']],
    ['Lena called, she has quit Siemens.', []],
    ['Lena called Mia, she has quit Siemens.', ['Lena called Mia.']],
    ['Pets are fun. I named her Tilly.', []],
    ['My sister moved abroad. Portugal is cheap. She rents a flat in Faro.', []],
    ['My brother moved abroad. Faro is cheap. He rents a flat in Spain.', []],
    ['Portugal is cheap. She rents a flat in Faro.', []],
    ['Portugal changed her life.', []],
    ['Faro ruined his career.', []],
    ['My sister was upset. Siemens doubled her salary.', []],
    ['My sister was upset. Google hired her in May.', ["Google hired Ann's sister in May 2023."]],
    ['Google hired her in May.', []],
    ['Emma was upset. Julia hired her in May.', ['Julia hired Emma in May 2023.']],
    ['I met a potter because she lives nearby with her parrot.', ['Ann met a potter.']],
  ])
})

describe('clauses without a fact are left out', () => {
  table([
    ['Hey Bob! Good to see you!', []],
    ['Thanks so much, that means a lot to me!', []],
    ['You did a wonderful job with the garden!', []],
    ['Have you ever been to Norway?', []],
    ['That sounds amazing!', []],
    ["I'm so proud of you!", []],
    ['Nature is beautiful.', []],
    ['If I win the lottery, I buy a castle.', []],
    ['Keep up the good work!', []],
    ['I planted a fig tree, so please water the garden.', ['Ann planted a fig tree.']],
    ["I should paint the fence, should I not? I bought blue paint, didn't I?", []],
    ['So cool!', []],
  ])
})

it('an answer is joined to its question', () => {
  const previous = [{ speaker: 'Bob', text: 'Nice! How long have you had your dog?' }]
  assert.deepEqual(told('3 years!', { previous }), ["Ann has had Ann's dog for 3 years."])
  const asked = [{ speaker: 'Bob', text: "What's your favorite city?" }]
  assert.deepEqual(told('Lisbon.', { previous: asked }), ["Ann's favorite city is Lisbon."])
})

it('a picture becomes an event by its description', () => {
  const said = {
    speaker: 'Ann',
    text: 'Look!',
    at: monday8May,
    attachments: [{ description: 'a painting of a lake' }, { description: 'two dogs' }],
  }
  const [first, second] = restate(said, context)
  assert.equal(first?.text, 'Ann shared a painting of a lake.')
  assert.equal(second?.text, 'Ann shared an image of two dogs.')
  assert.equal(first?.kind, 'event')
})

it('of a long description only the first sentence becomes a fact, and none of a sentence without an end', () => {
  const told = (description: string) => {
    const [found] = restate({ speaker: 'Ann', text: 'Look!', at: monday8May, attachments: [{ description }] }, context)
    return found?.text
  }
  assert.equal(told(`a map of Oslo. ${'The harbour is blue. '.repeat(3_000)}`), 'Ann shared a map of Oslo.')
  assert.equal(told('a map of Oslo. The harbour is blue.'), 'Ann shared a map of Oslo. The harbour is blue.')
  for (const text of ['blue '.repeat(13_000), 'b'.repeat(65_536)]) assert.equal(told(text), undefined)
})

it('a picture’s pronouns are replaced, or the picture is left out', () => {
  const told = (description: string) =>
    restate(
      { speaker: 'Ann', text: '', at: 0, attachments: [{ description }] },
      { addressee: null, previous: [], participants: ['Ann'] },
    )[0]?.text
  assert.equal(told('a photo of a cat licking its paw'), 'Ann shared a photo of a cat licking the paw.')
  assert.equal(told('a cake with candles on it'), 'Ann shared an image of a cake with candles.')
  assert.equal(told('a sign that says they win'), undefined)
})

it('we together needs a named addressee', () => {
  assert.deepEqual(told('We built a shed together with Bob.'), ['Ann and Bob built a shed together with Bob.'])
  assert.deepEqual(told('We support each other with the homework.'), [])
})

it('a statement has subject, relation, object, tense, kind, place and time', () => {
  const [statement] = restate(
    { speaker: 'Ann', text: 'I saw "The Tempest" in Oslo with my friend Zed yesterday.', at: monday8May },
    context,
  )
  assert.deepEqual(
    { ...statement, keywords: undefined },
    {
      text: 'Ann saw "The Tempest" in Oslo with Ann\'s friend Zed on 7 May 2023.',
      subject: 'Ann',
      relation: 'saw',
      object: '"The Tempest" in Oslo with Ann\'s friend Zed on 7 May 2023',
      tense: 'past',
      kind: 'event',
      when: { from: Date.UTC(2023, 4, 7), to: Date.UTC(2023, 4, 8), text: '7 May 2023' },
      persons: ['Ann', 'Zed'],
      entities: ['"The Tempest"', 'Oslo'],
      keywords: undefined,
      location: 'Oslo',
    },
  )
  const kinds = ['I love jazz music.', 'I plan to visit Chile.', 'I live in Ghent.', 'I sold my car.'].map(
    (text) => restate({ speaker: 'Ann', text, at: monday8May }, context)[0]?.kind,
  )
  assert.deepEqual(kinds, ['preference', 'plan', 'state', 'event'])
})

it('an utterance in the third person stays as it is', () => {
  assert.deepEqual(told('Clara chose green.'), ['Clara chose green.'])
  assert.deepEqual(told('The budget for Ghent is 600 euros.'), ['The budget for Ghent is 600 euros.'])
})

it('the same utterance gives the same statements', () => {
  const text = 'I bought a kayak last Friday and my sister adopted a parrot.'
  assert.deepEqual(
    restate({ speaker: 'Ann', text, at: monday8May }, context),
    restate({ speaker: 'Ann', text, at: monday8May }, context),
  )
})
