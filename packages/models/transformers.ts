/**
 * Vectors from a sentence model that runs in this process through `@huggingface/transformers`. It is an optional peer
 * dependency for a stronger model than the default, with weights from a folder or from the hub.
 */
import { LoomlogError } from '@loomlog/errors'
import { type Embedder, embedTexts, type VectorSpace } from './embedder.ts'

export interface TransformersEmbedderOptions {
  /** `Xenova/all-MiniLM-L6-v2`, on the hub or below `modelFolder`. */
  readonly model: string
  readonly vectorSpace: VectorSpace
  /** Precision of the weights. Vectors of another precision are of another vector space. */
  readonly precision: 'fp32' | 'fp16' | 'q8' | 'q4'
  /** As in the model's training: `mean` (the default) for MiniLM, `cls` for bge. */
  readonly pooling?: 'mean' | 'cls'
  /** The folder that holds `<model>/config.json`. If it is set, nothing is fetched. */
  readonly modelFolder?: string
  /** Longer texts are cut. Default 4,000; the model's own limit in tokens is usually lower. */
  readonly maxCharacters?: number
}

/** The used part of the package, whose types aren't installed here. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string }
  pipeline(task: 'feature-extraction', model: string, options: { readonly dtype: string }): Promise<Extractor>
}

interface Extractor {
  (texts: readonly string[], options: { readonly pooling: string; readonly normalize: boolean }): Promise<Tensor>
  dispose(): Promise<unknown>
}

interface Tensor {
  readonly data: Float32Array
  /** Texts, dimensions. */
  readonly dims: readonly number[]
}

const packageName: string = '@huggingface/transformers'
const maxTextsPerBatch = 32

/** Loads the weights. @throws LoomlogError `config-invalid` where the package or the weights are missing */
export async function transformersEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  const { vectorSpace } = options
  const extract = await load(options)
  let closed = false

  async function embedBatch(texts: readonly string[]): Promise<Float32Array[]> {
    const tensor = await extract(texts, { pooling: options.pooling ?? 'mean', normalize: true })
    const size = tensor.dims[1] ?? 0
    return texts.map((_, at) => tensor.data.slice(at * size, (at + 1) * size))
  }

  return {
    vectorSpace,
    embed(texts, { shape = 'one-at-a-time', signal } = {}) {
      const size = shape === 'batched' ? maxTextsPerBatch : 1
      return embedTexts(texts, vectorSpace, options.maxCharacters ?? 4_000, async (full) => {
        const vectors: Float32Array[] = []
        for (let at = 0; at < full.length; at += size) {
          signal?.throwIfAborted()
          if (closed) throw new Error(`${vectorSpace.name} is closed`)
          vectors.push(...(await embedBatch(full.slice(at, at + size))))
        }
        return vectors
      })
    },
    async close() {
      if (closed) return
      closed = true
      await extract.dispose()
    },
  }
}

async function load(options: TransformersEmbedderOptions): Promise<Extractor> {
  const { env, pipeline } = await importTransformers()
  if (options.modelFolder !== undefined) {
    env.allowRemoteModels = false
    env.localModelPath = options.modelFolder
  }
  try {
    return await pipeline('feature-extraction', options.model, { dtype: options.precision })
  } catch (cause) {
    const where = options.modelFolder === undefined ? 'from the hub' : `from ${options.modelFolder}`
    throw new LoomlogError('config-invalid', `the model ${options.model} can't be loaded ${where}`, { cause })
  }
}

async function importTransformers(): Promise<Transformers> {
  try {
    return await import(packageName)
  } catch (cause) {
    const message = `this embedder needs the package ${packageName}, which is not installed: npm install ${packageName}`
    throw new LoomlogError('config-invalid', message, { cause })
  }
}
