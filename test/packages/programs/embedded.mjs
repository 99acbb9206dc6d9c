// The library from its package: one message in, one question answered.
import { openMemory } from 'loomlog'

const memory = await openMemory({ dir: './memory' })
const said = { tenant: 'default', space: 'team', conversation: 'standup', speaker: 'Maya', role: 'human', id: 'm1' }
const text = 'I moved to Porto last week.'
const time = { at: Date.now(), isTimeGiven: true, appendedAt: Date.now() }
const rest = { attachments: [], metadata: {}, keyId: null }
await memory.append([{ type: 'UtteranceAppended', ...said, ...time, text, ...rest }], {})
const { text: answer } = await memory.space('team').recall('Where does Maya live?', { limit: 5 })
await memory.close()
console.log(answer)
