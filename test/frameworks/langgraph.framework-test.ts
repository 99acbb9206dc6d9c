/** The store in LangGraph: a compiled graph, whose nodes keep and find values across threads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Annotation,
  type BaseStore,
  END,
  type LangGraphRunnableConfig,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { memoryStore } from '@loomlog/adapters/langgraph'
import { openSpace } from '../adapters/open-space.ts'

const State = Annotation.Root({ said: Annotation<string>, known: Annotation<readonly string[]> })

/** Stands for an agent: keeps the message, and recalls what the store knows on it. */
async function remember({ said }: typeof State.State, { store, configurable }: LangGraphRunnableConfig) {
  assert.ok(store !== undefined)
  const namespace = ['users', 'maya']
  const found = await store.search(namespace, { query: said, limit: 2 })
  await store.put(namespace, String(configurable?.thread_id), { text: said })
  return { known: found.map(({ value }) => String(value.text)) }
}

test('a node of the second thread finds what the first one kept', async (t) => {
  // The application has one copy of the package with the class; here the adapter has another one.
  const store = memoryStore({ space: await openSpace(t) }) as unknown as BaseStore
  const graph = new StateGraph(State)
    .addNode('remember', remember)
    .addEdge(START, 'remember')
    .addEdge('remember', END)
    .compile({ store, checkpointer: new MemorySaver() })
  const say = (said: string, thread: string) => graph.invoke({ said }, { configurable: { thread_id: thread } })
  assert.deepEqual((await say('I live in Lisbon, near the river.', 'one')).known, [])
  assert.deepEqual((await say('Where do I live?', 'two')).known, ['I live in Lisbon, near the river.'])
})
