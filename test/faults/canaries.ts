/**
 * Canaries: words of one speaker in every field that a writer and a model fill, and the search for their bytes in
 * files. A word that is found anywhere after a forgetting was not forgotten.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { FakeRequest } from '@loomlog/models/fake-endpoint'
import type { Json } from '@loomlog/schemas/ids'
import { factRow, linesOf } from '../eval/rederive/lines.ts'
import { fakeModelAnswer } from '../pipeline/fake-model.ts'

export const canarySpeaker = 'Canaryspeaker'

/** The lines of the forgotten speaker: the gap of a day seals a box. Each field has a canary. */
export const canaryLines = Array.from({ length: 8 }, (_, at) => ({
  id: `canaryid-${at}`,
  conversation: 'canarythread',
  speaker: canarySpeaker,
  role: 'human',
  at: new Date(Date.UTC(2026, 2, at < 6 ? 1 : 2, 9, at)).toISOString(),
  text: `I adopted ${at} canarybirds in Canarytown. ünïcanary lives there too.`,
  attachments: [{ kind: 'image', uri: 'https://example.org/canaryuri.png', description: 'a canarycaption' }],
  metadata: { canarylabel: 'canaryvalue' },
}))
const others = ['canaryanswer', 'canarydocument', 'canarywording', 'canaryaddition', 'canaryreason']

const canaries: readonly string[] = [
  ...['canaryid', 'canarythread', 'canaryspeaker', 'canarybird', 'canarytown', 'ünïcanary', 'canaryuri'],
  ...['canarycaption', 'canarylabel', 'canaryvalue', 'canaryquestion', ...others],
]

/** The fake model repeats canaries, and adds words of its own wherever it reads one. */
export function answerWithCanaries(request: FakeRequest): Json {
  const input = JSON.stringify(request.input)
  if (!/canary/i.test(input)) return fakeModelAnswer(request)
  switch (request.schemaName) {
    case 'extract-facts':
      return {
        rows: linesOf(String(request.input)).map(({ label, speaker, text }) =>
          factRow({ label, kind: 'event', subject: speaker, rest: `told canaryanswer: ${text}` }),
        ),
      }
    case 'consolidate-batch': {
      const labels = [...String(request.input).matchAll(/^(f\d+) /gm)].map(([, label]) => label)
      return { rows: ['n1 Canarydocument | statements', ...labels.map((label) => `n1 ${label} Words+`)] }
    }
    default:
      return fakeModelAnswer(request)
  }
}

export interface FoundCanary {
  readonly file: string
  readonly word: string
  readonly encoding: 'utf8' | 'utf16le'
}

/** Searches every file below a folder. Letters of ASCII are compared without case, as an index of words stores them. */
export async function canariesIn(folder: string): Promise<readonly FoundCanary[]> {
  const found: FoundCanary[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    found.push(...canariesInBytes(await readFile(path)).map((each) => ({ file: relative(folder, path), ...each })))
  }
  return found
}

export function canariesInBytes(bytes: Buffer): readonly Pick<FoundCanary, 'word' | 'encoding'>[] {
  const folded = bytes.toString('latin1').toLowerCase()
  const encodings = ['utf8', 'utf16le'] as const
  return canaries.flatMap((word) =>
    encodings
      .filter((encoding) => folded.includes(Buffer.from(word, encoding).toString('latin1').toLowerCase()))
      .map((encoding) => ({ word, encoding })),
  )
}
