import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { memory, row, utterance } from '../fixture.ts'
import { maxHits } from './lexical-search.ts'
import { maxLines } from './read-lines.ts'
import { maxLineChars } from './tool.ts'
import { runTool, tools } from './tools.ts'

const home = 'acme/home'

/** The same ids in every space. Only the words differ. */
async function filled(t: Parameters<typeof memory>[0], spaces = [home]) {
  const place = await memory(t)
  const of = (space: string) => space.replaceAll(/\W/g, '')
  const entry = (heading: string, text: string) => ({
    document: 'd1',
    title: 'Boats',
    heading,
    statement: text,
    facts: [],
  })
  const everywhere = async (make: (space: string) => ReturnType<typeof row>) => Promise.all(spaces.map(make))
  const said = [0, 1, 2].map((n) =>
    everywhere((space) => row(space, `u${n}`, `Maya: boat ${n} of ${of(space)}`, { conversation: 'c1', at: n })),
  )
  await place.write('utterances', (await Promise.all(said)).flat(), 3)
  await place.write('facts', await everywhere((space) => row(space, 'f1', `Maya's 100% boat_ is of ${of(space)}.`)))
  await place.write('documents', [
    ...(await everywhere((space) => row(space, 'd1', `Boats\nAll boats of ${of(space)}.`, { title: 'Boats' }))),
    ...(await everywhere((space) => row(space, 'd2', `Cats\nNo cats of ${of(space)}.`, { title: 'Cats' }))),
  ])
  await place.write('entries', [
    ...(await everywhere((space) =>
      row(space, 'e1', 'boat', { ...entry('Home', `boat one of ${of(space)}`), seq: 1 }),
    )),
    ...(await everywhere((space) =>
      row(space, 'e2', 'boat', { ...entry('Work', `boat two of ${of(space)}`), seq: 2 }),
    )),
    ...(await everywhere((space) => row(space, 'e3', 'boat', { ...entry('Home', 'sold boat'), seq: 3, knownTo: 9 }))),
  ])
  return { place, run: (name: string, input: unknown, space = home) => runTool(name, input, { ...place, space }), of }
}

test('documents are browsed, inspected and read line by line', async (t) => {
  const { run } = await filled(t)
  const first = await run('browse_ids', { limit: 1 })
  assert.deepEqual([first.lines, first.more], [['d1 | document | Boats — All boats of acmehome.'], true])
  assert.match((await run('browse_ids', { after: 'd1' })).lines.join(), /^d2 \| document \| Cats/)
  const inspected = await run('inspect_document', { id: 'd1' })
  assert.deepEqual(inspected.lines, [
    'd1 | document | 4 lines | Boats',
    'summary: All boats of acmehome.',
    'line 1: # Home',
    'line 3: # Work',
  ])
  const read = await run('read_lines', { document: 'd1', from: 2, to: 3 })
  assert.deepEqual([read.ids, read.more], [['e1'], true])
  assert.match(read.lines.join('\n'), /^e1 \| entry \| .* \| boat one of acmehome\n# Work$/)
  const said = await run('read_lines', { conversation: 'c1', from: 2, to: 3 })
  assert.deepEqual([said.ids, said.more], [['u1', 'u2'], false])
})

test('words and exact characters are found, also in the log tail', async (t) => {
  const { place, run } = await filled(t)
  for (let n = 0; n < 4; n++) await place.append(utterance(home, `tail${n}`, n === 3 ? 'my boat_ 100%' : 'nothing'))
  const words = await run('lexical_search', { query: 'boat', limit: maxHits })
  assert.deepEqual([...words.ids].sort(), ['e1', 'e2', 'f1', 'tail3', 'u0', 'u1', 'u2'])
  assert.equal((await run('lexical_search', { query: 'boat', limit: 2 })).more, true)
  assert.deepEqual([...(await run('exact_pattern', { pattern: '100%' })).ids].sort(), ['f1', 'tail3'])
  assert.deepEqual((await run('exact_pattern', { pattern: "maya's 1" })).ids, ['f1'])
  for (const pattern of ['.*', '%', "'; --", '\\', '🙂']) {
    const { ids } = await run('exact_pattern', { pattern })
    assert.deepEqual([...ids].sort(), pattern === '%' ? ['f1', 'tail3'] : [], pattern)
  }
})

test('a conversation is read at any line, beyond line 20,000 too, and on into the log tail, without the lines before', async (t) => {
  const place = await memory(t)
  const size = 20_100
  const first = await row(home, 'u0', 'Maya: a line', { conversation: 'c1' })
  const lines = Array.from({ length: size }, (_, n) => ({ ...first, id: `u${n}`, at: n, offset: n }))
  await place.write('utterances', lines, size)
  await place.append({ ...utterance(home, 'newest', 'Goodbye!'), conversation: 'c1', at: size })
  const scan = place.views.scan.bind(place.views)
  const read: number[] = []
  t.mock.method(place.views, 'scan', async (...of: Parameters<typeof scan>) => {
    const rows = await scan(...of)
    read.push(rows.length)
    return rows
  })
  const run = (from: number, to: number) =>
    runTool('read_lines', { conversation: 'c1', from, to }, { ...place, space: home })
  const middle = await run(20_050, 20_052)
  assert.deepEqual([middle.ids, middle.more], [['u20049', 'u20050', 'u20051'], true])
  const end = await run(size, size + 50)
  assert.deepEqual([end.ids, end.more], [[`u${size - 1}`, 'newest'], false])
  // The lines themselves, one more to know whether there are more, and one that the utterance of the tail may replace.
  assert.deepEqual(read, [5, 2], 'rows read')
  const bounds = tools.flatMap(({ name, input }) => (name === 'read_lines' ? [input.properties] : []))
  const line = { type: 'integer', minimum: 1 }
  assert.partialDeepStrictEqual(bounds, [{ from: line, to: line }])
  assert.doesNotMatch(JSON.stringify(bounds), /maximum/, 'a model that keeps to the schema reads every line')
})

test('a conversation is read in its order, to the newest utterance in the log tail', async (t) => {
  const place = await memory(t)
  for (const id of ['z', 'b', 'y', 'a']) await place.append(utterance(home, id, id))
  const said = ['z', 'b', 'y', 'a'].map((id, offset) =>
    row(home, id, `Maya: ${id}`, { conversation: 'c1', at: 5, offset }),
  )
  await place.write('utterances', await Promise.all(said), 4)
  const attachments = [{ kind: 'image', description: 'a photo of a Velociraptor', uri: null }] as const
  for (const id of ['n', 'm'])
    await place.append({ ...utterance(home, id, 'Look!'), conversation: 'c1', at: 5, attachments })
  const run = (name: string, input: object) => runTool(name, input, { ...place, space: home })
  const read = await run('read_lines', { conversation: 'c1', from: 2, to: 9 })
  assert.deepEqual([read.ids, read.more], [['b', 'y', 'a', 'n', 'm'], false])
  const cut = await run('read_lines', { conversation: 'c1', from: 4, to: 5 })
  assert.deepEqual([cut.ids, cut.more], [['a', 'n'], true])
  // Uttered before the lines of the view, and appended after them.
  await place.append({ ...utterance(home, 'first', 'Hello!'), conversation: 'c1', at: 4 })
  const lines = ['first', 'z', 'b', 'y', 'a', 'n', 'm']
  for (const [index, id] of [...lines, undefined].entries()) {
    const { ids, more } = await run('read_lines', { conversation: 'c1', from: index + 1, to: index + 1 })
    assert.deepEqual([ids, more], [id === undefined ? [] : [id], index < lines.length - 1], `line ${index + 1}`)
  }
  assert.deepEqual((await run('read_lines', { conversation: 'c1', from: 1_000_000, to: 1_000_001 })).ids, [])
  assert.deepEqual((await run('exact_pattern', { pattern: 'velociraptor' })).ids, ['n', 'm'])
})

test('a row that is written to the view during a search is shown once', async (t) => {
  for (const [tool, input] of [
    ['lexical_search', { query: 'zebra' }],
    ['exact_pattern', { pattern: 'zebra' }],
    ['read_lines', { conversation: 'c', from: 1, to: 9 }],
  ] as const) {
    const place = await memory(t)
    await place.write('utterances', [await row(home, 'u0', 'Ada: nothing')], 1)
    await place.append(utterance(home, 'u0', 'nothing'))
    await place.append(utterance(home, 'u1', 'a zebra'))
    // The row is written after the tail was read and before the tool searches the view.
    const watermark = place.views.watermark.bind(place.views)
    let tails = 0
    t.mock.method(place.views, 'watermark', async (...of: Parameters<typeof watermark>) => {
      const mark = await watermark(...of)
      await place.write('utterances', [await row(home, 'u1', 'Ada: a zebra', { offset: 1 })], 2)
      place.views.forget()
      tails += 1
      return mark
    })
    const { ids } = await runTool(tool, input, { ...place, space: home })
    assert.deepEqual([tails, ids.filter((id) => id === 'u1')], [1, ['u1']], tool)
  }
})

test('an invalid input is refused with its name, and every result has a limit', async (t) => {
  const { place, run } = await filled(t)
  await place.append(utterance(home, 'x', 'x'))
  await place.append(utterance(home, 'long', 'x'.repeat(10_000)))
  for (let n = 0; n < 3; n++) await place.append(utterance(home, `long${n}`, `xyz ${'x'.repeat(10_000)}`))
  for (const line of (await run('exact_pattern', { pattern: 'xyz' })).lines) assert.ok(line.length <= maxLineChars + 1)
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['search', {}, /there is no tool search: expected one of lexical_search/],
    ['lexical_search', null, /no JSON object/],
    ['lexical_search', { query: ' ' }, /^query is " "/],
    ['lexical_search', { query: 'x'.repeat(100_000) }, /^query is "xxx/],
    ['lexical_search', { query: 'x', limit: maxHits + 1 }, /^limit is 51: expected a whole number from 1 to 50/],
    ['exact_pattern', { pattern: 5 }, /^pattern is 5/],
    ['exact_pattern', { pattern: 'x', regex: true }, /^there is no input regex/],
    ['inspect_document', { id: 'nope' }, /there is no document nope: browse_ids lists them/],
    ['browse_ids', { limit: 0 }, /^limit is 0/],
    ['read_lines', { document: 'd1', from: 5, to: 4 }, /^to is 4: expected a whole number from 5/],
    ['read_lines', { document: 'd1', from: 1, to: maxLines + 1 }, /^to is 201/],
    ['read_lines', { from: 1, to: 1 }, /^document is missing/],
  ]
  for (const [name, input, message] of wrong) {
    await assert.rejects(run(name, input), (error) => isLoomlogError(error) && message.test(error.message), name)
  }
})

test('no tool shows a memory of another space with the same ids', async (t) => {
  const spaces = [home, 'acme/work', 'other/home', "o'h/home", 'acme/hom']
  const { run, of } = await filled(t, spaces)
  const inputs: { readonly [name: string]: readonly object[] } = {
    lexical_search: [{ query: 'boat of Maya', limit: 50 }],
    exact_pattern: [{ pattern: 'o', limit: 50 }, { pattern: ' of ' }],
    inspect_document: [{ id: 'd1' }, { id: 'd2' }],
    browse_ids: [{}, { after: 'd1' }],
    read_lines: [
      { document: 'd1', from: 1, to: 9 },
      { conversation: 'c1', from: 1, to: 9 },
    ],
  }
  assert.deepEqual(Object.keys(inputs).sort(), tools.map((tool) => tool.name).sort())
  for (const space of spaces) {
    for (const [name, each] of Object.entries(inputs)) {
      for (const input of each) {
        const { lines } = await run(name, input, space)
        assert.ok(lines.length > 0, `${name} in ${space}`)
        for (const line of lines.filter((shown) => / of \w+/.test(shown.split(' | ').at(-1) ?? ''))) {
          assert.match(line, new RegExp(` of ${of(space)}\\b`), `${name} in ${space}`)
        }
      }
    }
    await assert.rejects(run('inspect_document', { id: 'd1' }, 'acme/none'), (error) =>
      isLoomlogError(error, 'not-found'),
    )
  }
})
