import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drive, type StepEnvironment, statelessEnvironment } from './drive.ts'
import { type Answer, askAll, type Effects, get, isAskedOfModel, keyedRecord, put, range } from './step.ts'
import { judge } from './toy-processors.ts'

const notes = keyedRecord<string>('notes')

function environment(): StepEnvironment & { readonly done: string[] } {
  const done: string[] = []
  return {
    done,
    async answer(asks) {
      done.push(`ask ${asks.map((ask) => `${ask.task.name} ${JSON.stringify(ask.input)}`).join(', ')}`)
      return asks.map(
        (ask): Answer<never> => ({ kind: 'answer', value: ask.input as never, by: 'test', completions: [] }),
      )
    },
    isAskedOfModel(task) {
      done.push(`answerer ${task.name}`)
      return true
    },
    get(record, key) {
      done.push(`get ${record} ${key}`)
      return 'kept'
    },
    put(record, key, value) {
      done.push(`put ${record} ${key} ${value}`)
    },
    range(record, prefix, limit) {
      done.push(`range ${record} ${prefix} ${limit}`)
      return [['a', 'x']]
    },
  }
}

test('every effect is carried out in order, and the step gets its result', async () => {
  function* step(): Effects<readonly unknown[]> {
    const kept = yield* get(notes, 'k')
    yield* put(notes, 'k', 'new')
    const found = yield* range(notes, 'p', 3)
    const isAsked = yield* isAskedOfModel(judge)
    const answers = yield* askAll(judge, [{ text: 'a' }, { text: 'b' }])
    return [kept, found, isAsked, answers.map((answer) => answer.value)]
  }
  const here = environment()
  assert.deepEqual(await drive(step(), here), ['kept', [['a', 'x']], true, [{ text: 'a' }, { text: 'b' }]])
  assert.deepEqual(here.done, [
    'get notes k',
    'put notes k new',
    'range notes p 3',
    'answerer judge',
    'ask judge {"text":"a"}, judge {"text":"b"}',
  ])
})

test('an empty list of asks yields no effect', async () => {
  const here = environment()
  assert.deepEqual(drive(askAll(judge, []), here), [], 'at once, as there is nothing to wait for')
  assert.deepEqual(here.done, [])
})

test('an effect yielded without yield* is refused, instead of looping for ever', async () => {
  function* step(): Effects<null> {
    yield get(notes, 'k') as never
    return null
  }
  await assert.rejects(async () => drive(step(), environment()), /yield\*/)
})

test('rules may ask, and keep nothing', async () => {
  function* rules(): Effects<string | null> {
    return yield* get(notes, 'k')
  }
  await assert.rejects(async () => drive(rules(), statelessEnvironment(environment().answer)), /no keyed state/)
})
