import { closeSync, openSync, type Stats, statSync } from 'node:fs';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Files that a warning was given about, once per process. */
const warned = new Set<string>();

/**
 * Creates a database file that only its owner can read, with any umask. SQLite gives its log files the same mode.
 * An existing file that others can read keeps its mode, and a warning names the command that changes it.
 */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
    warnIfReadable(file);
  }
}

/** Warns about a file that other users of the machine can read. Modes mean nothing on Windows. */
export function warnIfReadable(file: string): void {
  if (process.platform === 'win32' || warned.has(file)) return;
  const found = fileStatus(file);
  if (found === null || (found.mode & OTHERS) === 0) return;
  warned.add(file);
  process.emitWarning(`${file} can be read by other users of this machine: chmod go-rwx ${quoted(file)}*`, {
    type: 'SecurityWarning',
    code: 'AMBIT_FILE_READABLE',
  });
}

/** The status of a file, or null if there is none or its path cannot be followed. */
export function fileStatus(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

const quoted = (file: string): string => `'${file.replaceAll("'", "'\\''")}'`;
