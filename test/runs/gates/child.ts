/** A child process of a test: its output lines, its input, and its exit. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  /** Resolves with the first line. */
  readonly ready: Promise<string>;
  write(line: string): void;
  /** All lines but the first, once the process has exited; throws on a non-zero exit code. */
  lines(): Promise<readonly string[]>;
}

/** Runs a script of this folder. */
export function child(script: string, ...args: readonly string[]): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const started = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    started.kill('SIGKILL');
  });
  const received: string[] = [];
  const lines = createInterface({ input: started.stdout });
  lines.on('line', (line) => received.push(line));
  const ended = Promise.all([once(started, 'exit'), once(lines, 'close')]).then(([[code]]) => code as number | null);
  const first = once(lines, 'line').then(([line]) => String(line));
  return {
    ready: Promise.race([first, ended.then((code) => `ended with ${code}`)]),
    write: (line) => started.stdin.write(`${line}\n`),
    lines: async () => {
      const code = await ended;
      if (code !== 0) throw new Error(`${script} ended with ${code}`);
      return received.slice(1);
    },
  };
}
