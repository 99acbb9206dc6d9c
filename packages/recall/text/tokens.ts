/** How many tokens (cl100k) a text takes. The same utterances are shown again and again, and counting them took most of the time of packing. */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import { remembered } from './memoize.ts'

/** Some 20 MB at most, a tenth of it with what people say. */
export const tokensOf = remembered({ texts: 20_000, characters: 500 }, (text) => countTokens(text))
