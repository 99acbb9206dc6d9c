/**
 * The store of LangGraph for TypeScript as a program, for tests of the Python store:
 * `node test/python/store-program.ts URL SPACE get KEY | put KEY JSON [unindexed] | search QUERY`. Prints JSON.
 */
import { memoryStore } from '@loomlog/adapters/langgraph'
import { connect } from '@loomlog/client'

const [url = '', space = '', call, text = '', json = '{}', unindexed] = process.argv.slice(2)
const namespace = ['users', 'maya']
const memory = connect({ url })
const store = memoryStore({ space: memory.space(space) })

async function result(): Promise<unknown> {
  if (call === 'get') return await store.get(namespace, text)
  if (call === 'search') return await store.search(namespace, { query: text })
  return await store.put(namespace, text, JSON.parse(json), unindexed === undefined ? undefined : false)
}

console.log(JSON.stringify((await result()) ?? null))
await memory.close()
