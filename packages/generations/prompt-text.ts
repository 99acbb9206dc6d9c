/**
 * The text of a prompt's file as a model reads it: without the front matter between two lines `---`, which tells people
 * the task, its version, and what goes in and out. So a change of the front matter changes no recipe.
 */
export function promptText(file: string): string {
  return file.replace(/^---\r?\n.*?\r?\n---\r?\n\s*/s, '')
}
