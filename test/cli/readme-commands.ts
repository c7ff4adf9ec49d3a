import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandResult } from './project.ts';

/** A command of a README with its result. */
export interface RanCommand extends CommandResult {
  readonly line: string;
}

/** The placeholders of a README, and the output that replaces each: ids and hashes of earlier commands. */
const PLACEHOLDERS: Readonly<Record<string, RegExp>> = {
  '<gate>': /\bgate_run_\S+?_\d+\b/,
  '<packet>': /packet {2}(?<found>sha256:[0-9a-f]{64})/,
  '<run>': /\brun_[0-9a-f-]{36}\b/,
};

/** Runs the shell commands of the README in a folder, one after the other, as a reader would type them. */
export function runReadme(folder: string, execute: (line: string) => CommandResult): readonly RanCommand[] {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const lines = [...readme.matchAll(/^```sh\n(?<code>.*?)^```$/gms)].flatMap(({ groups }) =>
    (groups?.['code'] ?? '').trimEnd().split('\n'),
  );
  const ran: RanCommand[] = [];
  let seen = '';
  for (const written of lines) {
    const line = Object.entries(PLACEHOLDERS).reduce((text, [name, pattern]) => {
      const found = pattern.exec(seen);
      return text.replaceAll(name, found?.groups?.['found'] ?? found?.[0] ?? name);
    }, written);
    const result = execute(line);
    seen += result.out + result.err;
    ran.push({ line: written, ...result });
  }
  return ran;
}
