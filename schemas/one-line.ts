/**
 * A person's text on one line, for every text that people and models read: context, evidence, lines of tools, output of
 * commands, Markdown. Lines are what separates one memory from the next there, so no text may begin one. JSON carries
 * texts whole instead.
 *
 * Line breaks become ` ¶ `, tabs spaces, other control characters `·`. Overrides of the writing direction are left out:
 * they could show a text in the place of another. A text without such characters stays as it is. Time is linear in the
 * text.
 */

/** Stands for the line breaks of a text. Its sign is one token, as a line break. */
export const lineBreakShown = ' ¶ '
const breaking = /[\n\v\f\r\x85\u2028\u2029]/
const override = /[\u202A-\u202E\u2066-\u2069]/g
const changed = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u

export function oneLine(text: string): string {
  if (!changed.test(text)) return text
  return text
    .trim()
    .replaceAll(/[\s\x85]+/g, (run) => (breaking.test(run) ? lineBreakShown : run.replaceAll('\t', ' ')))
    .replaceAll(/\p{Cc}/gu, '·')
    .replaceAll(override, '')
}

/**
 * Every script has signs of its own that look like a colon or a column, so all signs beyond ASCII count as such, except
 * emoji and the apostrophes, hyphens and middle dots of names; and of the letters those with this look.
 */
const separator =
  /[:|"\u01C0\u02D0\u02D1]|[^\x20-\x7E\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\u00B7\u2010-\u2013\u2018\u2019\u30FB]/u

/** A name before `: ` and a text. Quoted if it could be read as a name and a text itself. */
export function speakerShown(name: string): string {
  const line = oneLine(name)
  return separator.test(line) ? `"${line.replaceAll('"', "'")}"` : line
}

/** An utterance on one line, as `speaker: words`. */
export function spokenLine(speaker: string, words: string): string {
  return `${speakerShown(speaker)}: ${oneLine(words)}`
}

/** Texts as the columns of a line. A separator within a text is shown as `¦`. */
export function columns(...texts: readonly string[]): string {
  return texts.map((text) => oneLine(text).replaceAll(/(^|\s)\|(?=\s|$)/g, '$1¦')).join(' | ')
}
