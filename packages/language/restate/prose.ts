/**
 * The prose of a message: the lines that its speaker says. Code, logs, JSON, SQL, stack traces, tables, quoted mail and
 * drafts stay in the message as text and are no statements of anybody. A line of doubtful form is left out.
 */

const fence = /^\s*(?:```|~~~)/
/** Everything after such a line is somebody else's mail. */
const mailBegins =
  /^\s*(?:-{3,}\s*(?:original message|forwarded message|begin forwarded)|on .{4,80} wrote:\s*$|(?:from|to|subject|sent|date|cc): )/i

const foreign: readonly RegExp[] = [
  // Quoted lines, table rows, headings, diffs.
  /^\s*(?:>|\||#{1,6}\s|@@|[-+]{3} |diff --git)/,
  // JSON, XML, and lines of code by their ends or beginnings.
  /^\s*[[{<]|[{};\\]\s*$|^\s*(?:[})\]]|\/\/|\/\*|\*\/|#!|\$ |=>|@\w+\()/,
  /^\s*(?:import|export|const|let|var|def|class|function|return|public|private|elif|async|await|package|using|#include|print|for|while)\b.*[(){}=;:]\s*$/,
  /^\s*(?:select\b.+\bfrom|insert into|update \S+ set|delete from|create (?:table|index|view|database)|alter table|drop (?:table|index)|begin;|commit;)\b/i,
  // Stack traces.
  /^\s*(?:traceback \(|at \S+\(|at async |file ".+", line \d|caused by:|\w*(?:error|exception|warning)\b ?[:(])/i,
  // Logs, HTTP, and pairs of key and value.
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b(?:DEBUG|INFO|WARN|ERROR|FATAL|TRACE)\b[\s:\]]|^\s*(?:GET|POST|PUT|DELETE|PATCH|HTTP)\/?\S* /,
  /(?:\b[\w.]+=\S+[\s,]+){1,}[\w.]+=\S+|"[\w-]+"\s*:/,
  // Operators and calls.
  /\b\w+\(\w*[,)]|[\w\])]\s*(?:==|!=|<=|>=|=>|->|\+=|&&|\|\||::)\s*\S|\b\w+ = \S|\w\.\w+\(/,
]

/** A sentence with a link, an identifier, code or a quotation is left out. */
const technical = /https?:\/\/|www\.\S|`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\(|\\[nt()[\]]|,\s*,/
const quotation = /["“]([^"“”]*)["”]/g
/** A quotation without an end: an opening quote before a word, in the rest of the text. */
const openQuotation = /(?:^|\s)["“](?=\p{L})[^"“”]*$/u
/** Replaces a quotation, so that its sentence counts as technical. */
const quotationMark = '`'

/** The opening of a letter or a draft that is meant for somebody else. */
const letter =
  /^[ \t]*(?:dear |to whom it may concern|(?:kind|best|warm) regards|sincerely|yours (?:truly|faithfully))/im
/** A draft to be worked on: the lines after it are its text. */
const draftBegins =
  /\b(?:here(?:'s| is| are)|this is|below is|see below|following)\b[^.!?\n]{0,80}\b(?:draft|essay|letter|paragraph|version|text|story|chapter|scene|script|code|statement|outline|summary|excerpt|transcript|poem|lyrics|speech|email|mail|message|log|output|error|config\w*|quer(?:y|ies)|snippet|sample|conversation)\b[^.!?\n]{0,80}:\s*$/i

/** Longer lines are judged by their beginning, so that the time is proportional to the length of the text. */
const maxJudgedChars = 400

export function proseOf(text: string): string {
  if (letter.test(text)) return ''
  const kept: string[] = []
  let isInFence = false
  for (const line of text.split(/\r?\n/)) {
    const head = line.slice(0, maxJudgedChars)
    if (fence.test(head)) isInFence = !isInFence
    else if (!isInFence) {
      if (mailBegins.test(head)) break
      if (!foreign.some((pattern) => pattern.test(head))) kept.push(line)
      if (draftBegins.test(line.slice(-maxJudgedChars))) break
    }
  }
  return plainSentences(withoutQuotations(kept.join('\n')))
}

/** Titles stay: `"The Tempest"`. */
function withoutQuotations(text: string): string {
  const closed = text.replace(quotation, (whole, inside: string) => (isTitle(inside) ? whole : quotationMark))
  return closed.replace(openQuotation, (open) => (open.length > maxTitleChars ? ` ${quotationMark}` : open))
}

const maxTitleChars = 60

function isTitle(quoted: string): boolean {
  const words = quoted.split(/\s+/).filter((each) => each.length > 3)
  return quoted.length <= maxTitleChars && words.every((each) => /^[\p{Lu}\p{N}]/u.test(each))
}

function plainSentences(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line
        .split(/(?<=[.!?])\s+/)
        .filter((sentence) => !technical.test(sentence))
        .join(' '),
    )
    .filter((line) => line.trim() !== '')
    .join('\n')
}
