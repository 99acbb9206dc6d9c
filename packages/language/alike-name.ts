/**
 * The form in which names are compared that a reader can't tell apart: without case, and letters of other scripts as
 * the Latin ones of the same shape (Unicode's UTS #39). `Mallory`, one in full-width letters and one with a Cyrillic
 * `а` have the same form. Latin letters stay as they are, so that Ian is not Lan, and Bern not Bem. It is never shown.
 */
import unhomoglyph from 'unhomoglyph'

export function alikeName(name: string): string {
  const shown = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
  return [...shown].map(alikeLetter).join('').normalize('NFC')
}

function alikeLetter(letter: string): string {
  const small = letter.toLowerCase()
  if (isLatin(small)) return small
  // Some letters are alike in capitals only.
  return [unhomoglyph(small), unhomoglyph(letter).toLowerCase()].find(isLatin) ?? small
}

function isLatin(letter: string): boolean {
  return /^[\x20-\x7e]$/.test(letter)
}
