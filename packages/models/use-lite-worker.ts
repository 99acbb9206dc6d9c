/** The thread behind use-lite.ts: takes a list of texts, embeds them together, and answers with their vectors. */
import { parentPort } from 'node:worker_threads'
import { loadUseLite } from './use-lite-model.ts'
import type { WorkerReply } from './worker-pool.ts'

const loading = loadUseLite()

parentPort?.on('message', async (texts: readonly string[]) => {
  // Outside the try: weights that can't be loaded are no fault of the texts, and end the thread.
  const model = await loading
  parentPort?.postMessage(await reply(() => model.embed(texts)))
})

async function reply(embed: () => Promise<number[][]>): Promise<WorkerReply<Float32Array[]>> {
  try {
    return { value: (await embed()).map((vector) => Float32Array.from(vector)) }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}
