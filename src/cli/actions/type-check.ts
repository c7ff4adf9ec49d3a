import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** What the compiler has to say about a line. */
export interface TypeFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Asks the TypeScript that this folder has installed, if it has one. */
export async function typeCheck(folder: string): Promise<readonly TypeFinding[] | null> {
  const compiler = compilerOf(folder);
  if (compiler === null) return null;
  const child = spawn(compiler, ['--noEmit', '--pretty', 'false'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return readFindings(await text(child.stdout), folder);
}

function compilerOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const compiler = join(at, 'node_modules', '.bin', process.platform === 'win32' ? 'tsc.cmd' : 'tsc');
    if (existsSync(compiler)) return compiler;
    if (dirname(at) === at) return null;
  }
}

/** `src/a.ts(3,14): error TS2322: …`; lines that are indented belong to the one before. */
function readFindings(said: string, folder: string): readonly TypeFinding[] {
  return Array.from(
    said.matchAll(/^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): (?<message>error TS.*(?:\n {2,}.*)*)/gm),
    ({ groups }) => ({
      file: resolve(folder, groups?.['file'] ?? ''),
      line: Number(groups?.['line']),
      column: Number(groups?.['column']),
      message: groups?.['message'] ?? '',
    }),
  );
}
