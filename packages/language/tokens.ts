/** Estimates the number of model tokens of a text, without a tokenizer. */

const pieces = /\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu

/**
 * An estimate of the cl100k count. English words up to eight letters count as one, longer ones as a little more, three
 * digits or a sign as one, other scripts by their letters. It is not checked against a tokenizer: keep a tenth of a
 * hard budget in reserve.
 */
export function approximateTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(pieces)) tokens += weight(piece)
  return Math.ceil(tokens)
}

function weight(piece: string): number {
  if (/^[a-z]/i.test(piece)) return piece.length <= 8 ? 1 : piece.length / 7
  return /^\p{L}/u.test(piece) ? Math.max(1, piece.length * 0.9) : 1
}
