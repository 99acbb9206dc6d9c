// An adapter from its package, with the framework and the library that the application installed.
import { memoryStore } from '@loomlog/adapters/langgraph'
import { openMemory } from 'loomlog'

const memory = await openMemory({ dir: './stored' })
const store = memoryStore({ space: memory.space('agents') })
await store.put(['people'], 'maya', { city: 'Porto' })
console.log((await store.get(['people'], 'maya'))?.value.city)
await memory.close()
