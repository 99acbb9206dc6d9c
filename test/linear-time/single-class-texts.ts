/** Texts of one class of characters, or of pairs: the ones that take longest in an expression of quadratic time. */

const units: { readonly [name: string]: string } = {
  spaces: ' ',
  newlines: '\n',
  tabs: '\t',
  'no-break spaces': '\u00a0',
  'double quotes': '"',
  apostrophes: "'",
  'curly quotes': '“',
  brackets: '[',
  parentheses: '(',
  braces: '{',
  digits: '7',
  dots: '.',
  dashes: '-',
  commas: ',',
  colons: ':',
  underscores: '_',
  slashes: '/',
  'question marks': '?',
  letter: 'a',
  capital: 'A',
  emoji: '👩',
  'joined emoji': '👩\u200d',
  flags: '🇵🇹',
  'combining marks': '\u0301',
  'accented letter': 'e\u0301',
  ideograph: '茶',
  'letter and space': 'a ',
  'capital and space': 'A ',
  'comma and space': ', ',
  'dot and space': '. ',
  'letter and dot': 'a.',
  sentences: 'A. ',
  'digit and dot': '1.',
  'digit and space': '1 ',
  'letter and newline': 'a\n',
  'space and newline': ' \n',
  'letter and comma': 'a, ',
  'letter and dash': 'a-',
  'quoted letter': '"a" ',
  'hyphens and space': '- ',
  equals: 'a=',
  call: 'a(',
  'words of one sentence': 'my sister said that ',
  names: 'Maya ',
  times: 'tomorrow ',
  dates: 'on 3 March ',
  prepositions: 'to the ',
  verbs: 'I moved to ',
}

/** A word at the end of each text, by which a question finds it. */
export const sought = 'zebra'

/** By name, each with `bytes` bytes at most. */
export function singleClassTexts(bytes: number): { readonly [name: string]: string } {
  const end = ` ${sought}`
  return Object.fromEntries(
    Object.entries(units).map(([name, unit]) => {
      const times = Math.floor((bytes - Buffer.byteLength(end)) / Buffer.byteLength(unit))
      return [name, `${unit.repeat(times)}${end}`]
    }),
  )
}
