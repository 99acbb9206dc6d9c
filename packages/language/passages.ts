/**
 * Cuts a long text into passages of about 120 tokens, at paragraphs and sentences. Invariants: a passage never begins
 * or ends within a sentence, a code block, a line of code or a row of a table, so a long code block is one passage; the
 * passages in order have every line of the text; each has the heading or the lead-in that it stands under. A short text
 * is one passage. Pure.
 */

export interface Passage {
  readonly text: string
  /** The last heading or line with a colon before it, where the passage doesn't begin with it; else empty. */
  readonly under: string
}

/** In Latin letters: some 120 tokens of English. A passage is longer only where nothing in it may be cut. */
const passageChars = 480
/** A character of these scripts counts for several letters. */
const denseScript = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/gu
const lettersEach = 4
/** A heading begins a new passage if the one before has this size. */
const leastChars = passageChars / 2
const maxLeadChars = 160

/** A part of the text that is not cut, with the white space after it. */
interface Piece {
  readonly text: string
  readonly kind: 'heading' | 'lead' | 'code' | 'line' | 'sentence'
}

export function passagesOf(text: string): readonly Passage[] {
  if (sizeOf(text) <= passageChars) return [{ text, under: '' }]
  const passages: Passage[] = []
  let current = ''
  let filled = 0
  let under = ''
  let lead = ''
  const close = () => {
    if (current.trim() !== '') passages.push({ text: current.trim(), under })
    current = ''
    filled = 0
  }
  for (const piece of piecesOf(text)) {
    const size = sizeOf(piece.text)
    const isFull = filled + size > passageChars
    const isNewPart = piece.kind === 'heading' && filled >= leastChars
    if (current !== '' && (isFull || isNewPart)) close()
    if (current === '') under = piece.kind === 'heading' ? '' : lead
    current += piece.text
    filled += size
    if (piece.kind === 'heading' || piece.kind === 'lead') lead = piece.text.trim().slice(0, maxLeadChars)
  }
  close()
  return passages
}

function sizeOf(text: string): number {
  return text.trimEnd().length + (lettersEach - 1) * (text.match(denseScript)?.length ?? 0)
}

const fence = /^\s*(?:```|~~~)/
const heading = /^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)/
/** A row of a table, an item of a list, a line of a log, of code or of quoted mail: a line that is no prose. */
const row =
  /^\s*(?:\||[-*+•]\s|\d+[.)]\s|>|\[?\d{2,4}[-:/]|at\s+\S+\()|[;{}]\s*$|^(?:\t| {4})\s*\S|=>|^\s*[\w.[\]]+\s*=\s*\S/
const sentenceEnd = /(?=[\p{Lu}\p{N}"“'(*])(?<=[.!?][”"')\]]?\s+)|(?<=[。！？])/u

/** Lines in order; prose by sentences, a fenced code block as one piece. */
function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let code: string | null = null
  for (const line of text.split(/(?<=\n)/)) {
    if (code !== null) {
      code += line
      if (!fence.test(line)) continue
      pieces.push({ text: code, kind: 'code' })
      code = null
    } else if (fence.test(line)) code = line
    else pieces.push(...piecesOfLine(line))
  }
  // A fence that is never closed reaches to the end.
  if (code !== null) pieces.push({ text: code, kind: 'code' })
  return pieces
}

function piecesOfLine(line: string): readonly Piece[] {
  if (heading.test(line)) return [{ text: line, kind: 'heading' }]
  if (/:\s*$/.test(line)) return [{ text: line, kind: 'lead' }]
  if (row.test(line) || line.trim() === '') return [{ text: line, kind: 'line' }]
  return line.split(sentenceEnd).map((text) => ({ text, kind: 'sentence' }))
}
