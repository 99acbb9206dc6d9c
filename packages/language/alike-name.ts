/**
 * The form in which names are compared that a reader can't tell apart: the skeleton of Unicode's UTS #39, without case.
 * `Mallory`, `mallory`, one in full-width letters and one with a Cyrillic `а` have the same form. It is never shown.
 */
import unhomoglyph from 'unhomoglyph'

export function alikeName(name: string): string {
  const shown = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
  // Before and after the case, since some letters are alike in capitals only.
  return unhomoglyph(unhomoglyph(shown).toLowerCase()).normalize('NFC')
}
