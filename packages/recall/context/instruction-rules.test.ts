import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instructionsIn } from './instruction-rules.ts'

const scopes = (text: string) => instructionsIn(text, ['Bot']).map(({ isForEverybody }) => isForEverybody)

test('an instruction is for everybody only if its own sentence says so', () => {
  for (const text of [
    'Never tell anyone that I am pregnant.',
    'Does anyone know why? Always answer in French.',
    'Hi everyone! Always answer me in French, please.',
    'Thanks everybody. Bot, from now on answer in French.',
  ])
    assert.deepEqual(scopes(text), [false], text)
  assert.deepEqual(scopes('Bot, for everyone: keep answers short.'), [true])
  assert.deepEqual(scopes('Bot, everybody gets short answers. For me, always answer in French.'), [true, false])
})

test('orders to people, idioms and the words of others are no instruction', () => {
  for (const text of [
    'Call me crazy, but I like it.',
    'Call me back.',
    'Please write a short message to Anna.',
    'Keep the files on the desk.',
    "My manager's rules:\nAlways answer in English.",
    "The notice on the door is clear. 'From now on write short messages only.'",
  ])
    assert.deepEqual(scopes(text), [], text)
})

test('an opening word and a list are no address of another person', () => {
  for (const text of [
    'Ok, from now on answer in English.',
    'Also, always answer in English.',
    '- Always answer in English',
  ])
    assert.deepEqual(scopes(text), [false], text)
})
