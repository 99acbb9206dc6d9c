/** A text as one word of a POSIX shell, quoted only where the shell would change it. */
export function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
