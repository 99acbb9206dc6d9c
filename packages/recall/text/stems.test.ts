import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row, utterance } from '../fixture.ts'
import { recall } from '../recall.ts'
import { runTool } from '../tools/tools.ts'
import { stemsOf } from './stems.ts'

const home = 'acme/home'
const stems = (text: string) => [...stemsOf(text).counts.keys()]

test('words are found in scripts without spaces, and an emoji is a word', () => {
  assert.deepEqual(stems('我喜欢喝绿茶。'), ['我', '喜欢', '喝', '绿茶'])
  assert.deepEqual(stems('ที่บ้าน'), ['ที่', 'บ้าน'])
  assert.deepEqual(stems('iPhone手机🔋🔋 charging'), ['iphon', '手机', '🔋', 'charg'])
  assert.deepEqual(stems('❤️ ☀️ ✈️ 👍🏽 👍 🇵🇹 👨‍👩‍👧'), ['❤', '☀', '✈', '👍', '🇵🇹', '👨‍👩‍👧'])
  assert.deepEqual(stems('#1 * 23 © plain'), ['1', '23', 'plain'], 'digits and marks are no emoji')
  assert.equal(stemsOf('茶茶🔋🔋🔋').counts.get('🔋'), 3)
})

test('other scripts are divided at every character that is no letter or digit', () => {
  assert.deepEqual(stems('The cats of Zoë run: a·b, ½ of 서울에'), ['cat', 'zoë', 'run', 'b', '½', '서울에'])
})

const examples = [
  ['我上周搬到了波尔图', '波尔图在哪里？'],
  ['我喜欢喝绿茶', '绿茶'],
  ['我们昨天去看了电影', '电影'],
  ['玛雅的猫叫小白', '小白'],
  ['我在学习弹钢琴', '钢琴'],
  ['明天要开会讨论预算', '预算'],
  ['他买了一辆红色的自行车', '自行车是什么颜色的？'],
  ['我妹妹住在里斯本', '妹妹住在哪里？'],
  ['周末我们去爬山', '爬山'],
  ['这家餐厅的面条很好吃', '面条'],
  ['我的生日是五月三日', '生日'],
  ['公司的新办公室很大', '办公室'],
  ['孩子们在公园里玩', '公园'],
  ['我读完了那本书', '那本书'],
  ['医生说我需要多休息', '医生'],
  ['火车晚点了两个小时', '火车'],
  ['她画了一幅风景画', '风景画'],
  ['我们种了番茄和黄瓜', '番茄'],
  ['老师表扬了他', '老师'],
  ['冬天我喜欢滑雪', '滑雪'],
  ['昨日ポルトに引っ越しました', 'ポルト'],
  ['コーヒーが大好きです', 'コーヒー'],
  ['ฉันชอบดื่มกาแฟ', 'กาแฟ'],
  ['เมื่อวานฝนตกหนัก', 'ฝน'],
] as const

/** A memory whose embedder gives every text the same vector. */
async function byWordsAlone(t: Parameters<typeof memory>[0]) {
  const place = await memory(t)
  const { vectorSpace, close } = place.embedder
  const embed = async (texts: readonly string[]) => texts.map(() => new Float32Array(vectorSpace.dimensions))
  return { ...place, embedder: { vectorSpace, embed, close } }
}

test('utterances in scripts without spaces are found first, from the tail and from the view', async (t) => {
  const [tail, view] = [await byWordsAlone(t), await byWordsAlone(t)]
  for (const [n, [text]] of examples.entries()) await tail.append({ ...utterance(home, `u${n}`, text), at: n })
  const rows = examples.map(([text], n) => row(home, `u${n}`, `Ada: ${text}`, { at: n, offset: n }))
  await view.write('utterances', await Promise.all(rows))
  for (const [n, [, query]] of examples.entries()) {
    for (const place of [tail, view]) {
      const { items } = await recall({ space: home, query, limit: 1 }, place)
      assert.equal(items[0]?.id, `u${n}`, `${query} from the ${place === tail ? 'tail' : 'view'}`)
    }
    const { ids } = await runTool('lexical_search', { query, limit: 1 }, { ...tail, space: home })
    assert.deepEqual(ids, [`u${n}`], query)
  }
  await tail.append(utterance(home, 'guitar', '🎸 tonight at the harbour'))
  const { items } = await recall({ space: home, query: '🎸', limit: 1 }, tail)
  assert.equal(items[0]?.id, 'guitar', 'full text ignores emoji: in a view they are found by their meaning')
})
