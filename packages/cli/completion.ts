/**
 * Completion scripts for shells, made from the program's own commands and options, so that no list is kept by hand. A
 * script holds the words that may follow each command: its subcommands, the long names of its options, and the choices
 * of its arguments and options. After an option that takes another value, the shell completes files. Our own generator,
 * since a script of words needs no library, and no process of loomlog starts at a key press.
 */
import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The words that may follow a path of commands, such as `generation start`; the program's own path is empty. */
interface Completion {
  readonly path: string
  readonly words: readonly string[]
  /** By the name of an option that takes a value: its choices; none for any other value. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

export function completionScript(shell: Shell, program: Command): string {
  const all = completionsOf(program, '')
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](all)
}

function completionsOf(command: Command, path: string): readonly Completion[] {
  const children = command.commands.map((child) => ({ child, name: child.name() }))
  const options = command.options.flatMap(({ long, hidden, ...rest }) => (long && !hidden ? [{ long, ...rest }] : []))
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const words = [...children.map(({ name }) => name), ...choices, ...options.map(({ long }) => long), '--help']
  const withValue = options.filter(({ required, optional }) => required || optional)
  const values = new Map(withValue.map(({ long, argChoices = [] }) => [long, argChoices]))
  const below = children.flatMap(({ child, name }) => completionsOf(child, `${path} ${name}`.trim()))
  return [{ path, words, values }, ...below]
}

/** Follows the words before the cursor as far as they name commands; the options between them are passed over. */
function walk(all: readonly Completion[], indent: string): string {
  const paths = all.filter(({ path }) => path !== '').map(({ path }) => `${indent}    '${path}') path=$next ;;`)
  return ['case "$next" in', ...paths.map((line) => line.slice(indent.length)), 'esac'].join(`\n${indent}`)
}

function wordsCase(all: readonly Completion[]): string {
  const cases = all.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`)
  return ['  case "$path" in', ...cases, '  esac'].join('\n')
}

/** The words after an option that takes a value. */
function valuesCase(all: readonly Completion[]): string {
  const cases = valuesOf(all).map(({ patterns, words }) => `    ${patterns.join('|')}) words='${words}' ;;`)
  return ['  case "$path $previous" in', ...cases, '  esac'].join('\n')
}

/** Patterns of a path and an option, with the words that may follow them. */
function valuesOf(all: readonly Completion[]) {
  const each = all.flatMap(({ path, values }) =>
    [...values].map(([option, choices]) => ({ pattern: `'${path} ${option}'`, words: choices.join(' ') })),
  )
  const byWords = Map.groupBy(each, ({ words }) => words)
  return [...byWords].map(([words, same]) => ({ words, patterns: same.map(({ pattern }) => pattern) }))
}

function bashScript(all: readonly Completion[]): string {
  return `# loomlog completion bash: source it, or write it into ~/.local/share/bash-completion/completions/loomlog
_loomlog() {
  local path='' next='' words='' previous="\${COMP_WORDS[COMP_CWORD - 1]}" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    next="\${path:+$path }\${COMP_WORDS[at]}"
    ${walk(all, '    ')}
  done
${wordsCase(all)}
${valuesCase(all)}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _loomlog loomlog
`
}

function zshScript(all: readonly Completion[]): string {
  return `#compdef loomlog
# loomlog completion zsh: write it into a folder of $fpath as _loomlog, or source it
_loomlog() {
  local path_='' next='' words_='' previous="\${words[CURRENT - 1]}" at
  for ((at = 2; at < CURRENT; at++)); do
    next="\${path_:+$path_ }\${words[at]}"
    ${walk(all, '    ').replaceAll('path=', 'path_=')}
  done
${inZsh(wordsCase(all))}
${inZsh(valuesCase(all))}
  compadd -- \${=words_}
  _files
}
compdef _loomlog loomlog
`
}

/** `path` and `words` are zsh's own. */
function inZsh(cases: string): string {
  return cases.replace('"$path', '"$path_').replaceAll("words='", "words_='")
}

function fishScript(all: readonly Completion[]): string {
  const paths = all.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  const cases = all.map(({ path, words }) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}`)
  const values = valuesOf(all).map(({ patterns, words }) => {
    const printed = words === '' ? '' : `printf '%s\\n' ${words}; `
    return `    case ${patterns.join(' ')}\n      ${printed}return`
  })
  return `# loomlog completion fish: write it into ~/.config/fish/completions/loomlog.fish
function __loomlog_words
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    if contains -- "$next" ${paths.join(' ')}
      set path $next
    end
  end
  set -l previous (commandline -opc)[-1]
  switch "$path $previous"
${values.join('\n')}
  end
  switch "$path"
${cases.join('\n')}
  end
end
complete -c loomlog -a '(__loomlog_words)'
`
}
