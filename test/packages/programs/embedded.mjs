// The library from its package: one message in, one question answered.
import { openMemory } from 'loomlog'

const memory = await openMemory({ dir: './memory' })
const team = memory.space('team')
await team.add({ conversation: 'standup', speaker: 'Maya', text: 'I moved to Porto last week.' })
const { text: answer } = await team.recall('Where does Maya live?', { limit: 5 })
await memory.close()
console.log(answer)
