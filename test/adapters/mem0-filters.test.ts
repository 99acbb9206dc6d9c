/** Filters of mem0 by owner: they find one owner's memories among many, and no slip widens them to everybody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Memory } from '@loomlog/adapters/mem0'
import type { Mem0 } from './mem0-shapes.ts'
import { openSpace } from './open-space.ts'

const textsOf = ({ results }: { readonly results: readonly { readonly memory: string }[] }) =>
  results.map(({ memory }) => memory).toSorted()

test('every form of a filter finds the memory of one user among hundreds of another', async (t) => {
  const memory: Mem0 = new Memory({ space: await openSpace(t) })
  const cats = Array.from({ length: 300 }, (_, at) => ({ role: 'user', content: `My cat ${at} is called Cat ${at}.` }))
  await memory.add(cats, { userId: 'tom' })
  await memory.add('The boat has a new engine.', { userId: 'maya', runId: '7', metadata: { year: 2021 } })
  await memory.add('The van has a new engine.', { userId: 42 as never })
  await memory.add('The bike has a new engine.', { userId: 'tom', metadata: { kind: 'bike' } })
  const [boat, van] = ['The boat has a new engine.', 'The van has a new engine.']
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{ AND: [{ user_id: 'maya' }] }, [boat]],
    [{ AND: [{ OR: [{ user_id: 'maya' }] }, { year: { in: [2021] } }] }, [boat]],
    [{ OR: [{ user_id: 'maya' }, { run_id: '7' }] }, [boat]],
    [{ user_id: ['maya'] }, [boat]],
    [{ user_id: ['maya', 42] }, [boat, van]],
    [{ user_id: { eq: 'maya' } }, [boat]],
    [{ user_id: { in: ['maya', 'nobody'] } }, [boat]],
    [{ user_id: '*', NOT: [{ user_id: 'tom' }] }, [boat, van]],
    [{ user_id: 42 }, [van]],
    [{ userId: ' 42 ' }, [van]],
    [{ user_id: 'maya', year: { in: '2021' } }, []],
    [{ user_id: [] }, []],
    [{ user_id: 'tom', kind: 'bike' }, ['The bike has a new engine.']],
  ]
  for (const [filters, expected] of cases) {
    const found = await memory.search('Who is called Cat 7?', { filters })
    assert.deepEqual(textsOf(found), expected, JSON.stringify(filters))
    assert.deepEqual(textsOf(await memory.getAll({ filters })), expected, JSON.stringify(filters))
  }
})

test('an owner without a value, or in a form that is not taken, is refused, and deletes nothing', async (t) => {
  const memory = new Memory({ space: await openSpace(t) })
  await memory.add('I have a cat.', { userId: 'maya', agentId: 'bot' })
  await memory.add('I have a boat.', { agentId: 'bot' })
  const empty = [undefined, null, {}, { eq: undefined }, { in: ['maya', null] }, [undefined], Number.NaN, ['*'], '']
  const operators = [{ ne: 'tom' }, { nin: ['tom'] }, { contains: 'may' }, { eq: 'maya', in: ['tom'] }, { eq: {} }]
  const message = /^Invalid user_id: .*\. Expected an id \(.*\), a list of ids, '\*', \{ eq: id \} or \{ in: ids \}$/
  for (const user_id of [...empty, ...operators]) {
    const nested = [
      { user_id, agent_id: 'bot' },
      { agent_id: 'bot', NOT: [{ AND: [{ user_id }] }] },
    ]
    for (const filters of nested) {
      await assert.rejects(memory.getAll({ filters }), { message })
      await assert.rejects(memory.search('cat', { filters }), { message })
    }
  }
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ userId: undefined, agentId: 'bot' }, /^Invalid userId: undefined\. Expected an id/],
    [{ userId: null, agentId: 'bot' }, /^Invalid userId: null\. Expected an id/],
    [{ userId: {}, agentId: 'bot' }, /^Invalid userId: \{\}\. Expected an id/],
    [{ user_id: 'maya', agentId: 'bot' }, /no field user_id: expected userId, agentId, runId or appId/],
    [{}, /At least one filter/],
  ]
  for (const [owner, expected] of refused) await assert.rejects(memory.deleteAll(owner), { message: expected })
  const metadata = { filters: { agent_id: 'bot', metadata: null } }
  await assert.rejects(memory.getAll(metadata), { message: 'Invalid metadata: null. Expected an object' })
  await assert.rejects(memory.add('x', { userId: '*' }), { message: /^Invalid userId: "\*"\. Expected an id/ })
  const filters = { agent_id: 'bot' }
  assert.deepEqual(textsOf(await memory.getAll({ filters })), ['I have a boat.', 'I have a cat.'])
  await memory.deleteAll({ userId: 'maya', agentId: 'bot' })
  assert.deepEqual(textsOf(await memory.getAll({ filters })), ['I have a boat.'])
})

test('ids that look the same are one owner, and long ids of one memory have a conversation of their own', async (t) => {
  const memory: Mem0 = new Memory({ space: await openSpace(t) })
  await memory.add('I have a cat.', { userId: 'José' })
  const [found] = (await memory.getAll({ filters: { user_id: 'Jose\u0301' } })).results
  assert.equal(found?.memory, 'I have a cat.')
  const long = (ending: string) => 'x'.repeat(250) + ending
  for (const ending of ['1', '2'])
    await memory.add(`I have boat ${ending}.`, { agentId: long(''), runId: long(ending) })
  const filters = { run_id: long('2') }
  assert.deepEqual(textsOf(await memory.search('boat', { filters })), ['I have boat 2.'])
  await memory.deleteAll({ runId: long('1') })
  assert.deepEqual(textsOf(await memory.getAll({ filters: { agent_id: long('') } })), ['I have boat 2.'])
  const message = /^Invalid userId: "x+"\. Expected an id/
  await assert.rejects(memory.add('x', { userId: 'x'.repeat(257) }), { message })
})
