/**
 * The prose of a file: comments, titles of tests, messages, Markdown. Everything else is blanked character by
 * character, so an offset in the prose is an offset in the file.
 */

/** Separates two pieces of prose, so that no phrase is found across them. */
export const pieceBreak = '\u241f'

/**
 * Comments, regular expressions and strings, as the formatter writes them. Adjacent line comments are one piece, and so
 * are joined strings.
 */
const pieces = new RegExp(
  [
    String.raw`(?<comment>\/\*[\s\S]*?\*\/|(?<!\S)\/\/.*(?:\n[ \t]*\/\/.*)*)`,
    String.raw`(?<=[(,=:|&!?[]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`,
    String.raw`(?<message>'(?:\\.|[^'\\\n])*'(?:\s*\+\s*'(?:\\.|[^'\\\n])*')*|"(?:\\.|[^"\\\n])*"|${'`'}(?:\\.|[^${'`'}\\])*${'`'})`,
  ].join('|'),
  'g',
)

const blank = (text: string) => text.replace(/[^\n]/g, pieceBreak)
const spaces = (text: string) => text.replace(/[^\n]/g, ' ')

/** Keeps the words of a comment, without its markers. */
const commentWords = (text: string) =>
  pieceBreak + text.replace(/^[ \t]*(\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, spaces).slice(1)

/** Keeps the words of a message: a string of four words or more. */
function messageWords(text: string): string {
  const joined = text.replace(/'\s*\+\s*'/g, spaces).replace(/\$\{[^}]*\}/g, blank)
  return joined.split(/\s+/).length < 4 ? blank(text) : pieceBreak + joined.slice(1, -1) + pieceBreak
}

/** The strings of a test are words of its speakers, except titles; a string that is split is a list of words. */
export function proseOf(path: string, text: string): string {
  if (path.endsWith('.md')) return text.replace(/^#.*$/gm, blank)
  const onlyTitles = /[.-]test\.ts$|fixture\.ts$/.test(path)
  let prose = ''
  let end = 0
  for (const { 0: piece, index, groups } of text.matchAll(pieces)) {
    const before = text.slice(end, index)
    const isList = /^\s*\.split\(/.test(text.slice(index + piece.length, index + piece.length + 80))
    const isProse = !isList && (!onlyTitles || /\b(?:test|it|describe)\(\s*$/.test(before))
    prose += blank(before)
    if (groups?.comment !== undefined) prose += commentWords(piece)
    else prose += groups?.message !== undefined && isProse ? messageWords(piece) : blank(piece)
    end = index + piece.length
  }
  return prose + blank(text.slice(end))
}

/** Where a pattern occurs in prose, as `line: words`. A space in the pattern matches any white space. */
export function occurrences(prose: string, pattern: RegExp): readonly string[] {
  const spaced = new RegExp(pattern.source.replaceAll(' ', String.raw`\s+`), 'gi')
  return [...prose.matchAll(spaced)].map(({ 0: words, index }) => {
    const line = prose.slice(0, index).split('\n').length
    return `${line}: ${words.replaceAll(pieceBreak, ' ').replace(/\s+/g, ' ').trim()}`
  })
}
