import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isReadByRules, languageOf, languagesOf } from './language.ts'

const english = [
  'ok',
  'lol',
  'See ya Nate!',
  'PR is up',
  "Tom's in.",
  'Kafka → SQS, yes',
  'I moved to Linz yesterday.',
  'Grazie mille for the pizza, it was really good!',
  'budget: 65k',
]

test('English lines are read by the rules, short ones and those with foreign names too', () => {
  for (const text of english) assert.ok(isReadByRules(languageOf(text, 'en')), text)
  assert.ok(languagesOf(english).every(isReadByRules))
})

const others: { readonly [language: string]: readonly string[] } = {
  de: ['Hallo zusammen!', 'Ich wohne jetzt in Linz.', 'ok', 'Wir treffen uns am Dienstag um acht.', 'Nein, danke!'],
  es: ['Buenos días a todos', 'Ahora vivo en Sevilla.', 'Vale', 'La factura es de 65 euros.', 'Ya no bebo café.'],
  zh: ['我现在住在杭州。', '好的', '周二八点见。', '我不喝咖啡了。'],
  ja: ['今は京都に住んでいます。', '鍵は見つかった?', 'はい'],
  th: ['ตอนนี้ฉันอยู่ที่เชียงใหม่', 'ครับ'],
  ru: ['Теперь я живу в Казани.', 'Ок', 'Встретимся во вторник в восемь.'],
}

test('no line of a conversation in another language is read as English, not even a short one', () => {
  for (const [language, texts] of Object.entries(others)) {
    assert.deepEqual(
      texts.filter((_, at) => isReadByRules(languagesOf(texts)[at] ?? null)),
      [],
      language,
    )
  }
})

test('a short or doubtful line has the language of the lines before it', () => {
  assert.equal(languageOf('ok', 'de'), 'de')
  assert.equal(languageOf('ok', null), null)
  assert.equal(languageOf('65', 'zh'), 'zh')
})

test('code, logs and links have the language of their conversation', () => {
  const code = '```ts\nconst total = prices.reduce((sum, price) => sum + price, 0)\n```'
  assert.equal(languageOf(code, 'es'), 'es')
  assert.equal(languageOf('https://example.org/a/b?c=d', 'de'), 'de')
})

test('an English line in another conversation is read, and the lines after it follow their own language', () => {
  const texts = ['Wann kommt der Zug an?', 'The train arrives at six in the evening.', 'Gut, dann hole ich dich ab.']
  assert.deepEqual(languagesOf(texts), ['de', 'en', 'de'])
})

test('a long line is not kept in memory', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 40; n++) languageOf(`${n} ${'The ferry to Naxos leaves at nine. '.repeat(30_000)}`, null)
  collect()
  assert.ok(process.memoryUsage().heapUsed - before < 10_000_000)
})
