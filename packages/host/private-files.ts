/**
 * Memories are read by their owner alone: every file that the process makes has mode 0600, every folder 0700, under any
 * umask of its parent. That includes the files of SQLite and LanceDB. Existing files keep their mode, since an operator
 * may have opened them, such as for backups.
 */
const others = 0o077

/** Before the work of the process begins. */
export function makePrivateFiles(): void {
  process.umask(others)
}
