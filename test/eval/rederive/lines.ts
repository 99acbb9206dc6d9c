/** The lines in the input of an ask: objects, or rows such as `u1 Ann: Hello.` */
export type Line = { readonly label: string; readonly speaker: string; readonly text: string }

export function linesOf(lines: readonly (Line | string)[]): readonly Line[] {
  return lines.flatMap((line) => {
    if (typeof line !== 'string') return [line]
    const [, label = '', speaker = '', text = ''] = /^(u\d+) (.*?): (.*)$/.exec(line) ?? []
    return label === '' ? [] : [{ label, speaker: speaker.replace(/ \(\w+\)$/, ''), text }]
  })
}
