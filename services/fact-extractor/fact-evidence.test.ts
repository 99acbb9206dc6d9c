/** Grounding: the names, numbers and dates of a fact are in its evidence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FactRecorded } from '@loomlog/schemas/events'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import { type EvidenceLine, groundingOf, lineOfDate } from './fact-evidence.ts'
import { box, type Line } from './fixture.ts'

function grounding(text: string, lines: readonly Line[], statement: Partial<FactRecorded> = {}) {
  const [source, ...others] = box(...lines).utterances.map(
    (said): EvidenceLine => ({ id: said.id, at: said.at, speaker: said.speaker, text: utteranceText(said) }),
  )
  assert.ok(source)
  const before = { id: 'earlier', at: source.at, speaker: 'Dora', text: 'We met Rufus.' }
  const fact = { text, subject: text.split(' ')[0] ?? '', persons: [], when: null, ...statement }
  const evidence = { cited: [source], others: [...others, before], names: ['Tom', 'outage-7731', 'session-3'] }
  const { inferred, missing } = groundingOf(fact, evidence, lineOfDate)
  return { inferred: inferred.map(({ word, from }) => `${word} ${from.replace(/^b\d+-/, '')}`), missing }
}

test('names and numbers of the source are grounded: of its speaker, its words and its captions, also as numerals', () => {
  const shown = { attachments: [{ kind: 'image', description: 'a ferry to Faro', uri: null }] }
  const lines: Line[] = [['Ann', 'We took 3 dogs to Porto’s harbour.', shown]]
  const nothing = { inferred: [], missing: [] }
  assert.deepEqual(grounding('Ann took three dogs to Porto and Faro. There was a ferry.', lines), nothing)
})

test('a name or a number that only another line has is inferred from it; one that no line has is missing', () => {
  const lines: Line[] = [
    ['Ann', 'He lives there with 2 cats.'],
    ['Ben', 'Tomas in Porto?'],
  ]
  assert.deepEqual(
    grounding('Ann says that Tomas lives in Porto with 2 cats, like Rufus and Zoe, for 7 years.', lines),
    {
      inferred: ['tomas 1', 'porto 1', 'rufus earlier'],
      missing: ['zoe', '7'],
    },
  )
  assert.deepEqual(grounding('He lives there.', lines, { persons: ['Zoe'] }).missing, ['zoe'])
})

test('a date is inferred from a line with a time, and missing if no line has one', () => {
  const when = { from: 0, to: 1, text: '1 March 2026' }
  const dated = grounding('Ann sailed on 1 March 2026.', [['Ann', 'I sailed yesterday.']], { when })
  assert.deepEqual(dated, { inferred: ['1 0', 'march 0', '2026 0'], missing: [] })
  assert.deepEqual(grounding('Ann sailed on 1 March 2026.', [['Ann', 'I sailed.']]).missing, ['1', 'march', '2026'])
  assert.deepEqual(grounding('Ann sailed.', [['Ann', 'I sailed.']], { when }).missing, ['1', 'march', '2026'])
})

test('a month that a line names, or that is a person’s name, needs no line with a time', () => {
  const may: Line = ['May', 'I moved to Porto.']
  const told: Line = ['Ann', 'She moved yesterday.']
  assert.deepEqual(grounding('Ann says that May moved.', [['Ann', 'She moved.'], may]).inferred, ['may 1'])
  assert.deepEqual(grounding('Ann says that May moved.', [told, may], { persons: ['May'] }).inferred, ['may 1'])
  const asked: Line = ['Ben', 'Did she move in April?']
  assert.deepEqual(grounding('She moved in April.', [['Ann', 'She did.'], asked]).inferred, ['april 1'])
})

test('a name of an earlier speaker is inferred from the line that says "you"', () => {
  const said = grounding('Maya says that Tom lives in Porto.', [['Maya', 'You live in Porto.']], { persons: ['Tom'] })
  assert.deepEqual(said, { inferred: ['tom 0'], missing: [] })
})

test('a fact in another language than its line keeps its names and numbers, and its other capitals are no names', () => {
  const lines: Line[] = [['Ann', 'I have lived in Porto with my brother Tomas for 7 years.']]
  const german = 'Ann wohnt seit 7 Jahren mit ihrem Bruder Tomas in einem Haus in Porto.'
  assert.deepEqual(grounding(german, lines, { persons: ['Tomas'] }), { inferred: [], missing: [] })
  assert.deepEqual(grounding(german.replace('7', '9'), lines, { persons: ['Zoe'] }).missing, ['zoe', '9'])
})

test('real forms of a word or a number are grounded', () => {
  const grounded = (text: string, line: string) =>
    assert.deepEqual(grounding(text, [['Ann', line]]), { inferred: [], missing: [] }, text)
  grounded('Ann pays 8000 euros and earns 1,200 more.', 'I pay 8k euros and earn 1200 more.')
  grounded('Ann pays 1.5 million.', 'I pay 1,5 million.')
  grounded('Ann meets Ben at 19:00 for 25 minutes.', 'Ben and I meet at 7pm for twenty-five minutes.')
  grounded('Ann has 300 books.', 'I have three hundred books.')
  grounded('Ann has two dogs, Rex and Fido.', 'My dogs are Rex and Fido.')
  grounded('Ann speaks Portuguese with the Portos.', 'I speak portugues with the people of Porto.')
  grounded('The workshop is in Porto.', 'It is in Porto, the workshop.')
  grounded('HB sees TW and the SLA lead.', 'h b sees t w and the service level agreement lead')
  grounded(
    'Ann has 3.1 litres at 19:30, and calls at 6:45.',
    'three point one litres at half seven, call quarter to: six',
  )
  grounded('Ann runs version 2026.2.0.', 'I run version 2026.2.0.')
  grounded('Ann did Q-22 in Q1. Nobody paid.', 'Q-22 is my work from this quarter, not paid.')
})

test('the name of the conversation tells names and numbers', () => {
  assert.deepEqual(grounding('Outage 7731 ended.', [['Ann', 'It ended.']]), {
    inferred: ['outage 0', '7731 0'],
    missing: [],
  })
})

test('a line in another language may spell a small number, and name things in its own words', () => {
  const line: Line = ['Ana', 'Somos cinco y nos vamos de vacaciones a la playa de Portugal a las cuatro y cuarto.']
  assert.deepEqual(grounding('Ana leaves for Algarve at 16:15 with five people.', [line]).missing, [])
  assert.deepEqual(grounding('Ana leaves with Zoe for 700 euros.', [line], { persons: ['Zoe'] }).missing, [
    'zoe',
    '700',
  ])
})

test('amounts, versions and short acronyms are not taken for others', () => {
  const missing = (text: string, line: string) => grounding(text, [['Ana', line]]).missing
  const spanish = 'Somos cinco y nos vamos de vacaciones a la playa de Portugal a las cuatro y cuarto.'
  assert.deepEqual(missing('Ana pays 75.000 euros and 90k more.', spanish), ['75.000', '90'])
  assert.deepEqual(missing('Ana runs v12.', 'I upgraded to v11.'), ['v12'])
  assert.deepEqual(missing('Ana works with AI.', 'I was at the barn and it rained.'), ['ai'])
  assert.deepEqual(missing('Outage 7731 has 3 boats.', 'It has boats.'), ['3'])
})

test('an invented name, number or date is missing, also in the subject', () => {
  const missing = (text: string, line: string) => grounding(text, [['Ann', line]]).missing
  assert.deepEqual(missing('Zoe lives in Porto.', 'I live in Porto.'), ['zoe'])
  assert.deepEqual(missing('Ann lives in Lisbon.', 'I live in Porto.'), ['lisbon'])
  assert.deepEqual(missing('Ann takes 57 mg.', 'I take 75 mg.'), ['57'])
  assert.deepEqual(missing('Ann has five dogs.', 'I have dogs.'), ['five'])
  assert.deepEqual(missing('Ann sails in May 2031.', 'I sail in May.'), ['2031'])
  assert.deepEqual(missing('Ann sails on 9 May 2026.', 'I sail on 6 May.'), ['9', '2026'])
})

test('a year that another row tells, and a name that stands only there, are inferred', () => {
  const lines: Line[] = [
    ['Ann', 'He opens it on 6 May.'],
    ['Ben', 'So Tomas opens the shop in 2028?'],
  ]
  const { inferred, missing } = grounding('Tomas opens the shop on 6 May 2028.', lines)
  assert.deepEqual(missing, [])
  assert.deepEqual(
    inferred.map((each) => each.split(' ')[0]),
    ['tomas', '2028'],
  )
})
