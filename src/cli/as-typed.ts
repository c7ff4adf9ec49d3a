import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A hint as somebody types it here: `npx ambit …` where the shell finds no `ambit`, and the folder has one. */
export const asTyped = (hint: string): string => hint.replaceAll(COMMAND, `${commandHere()} `);

const COMMAND = /(?<!npx )\bambit (?=[a-z])/g;

function commandHere(): string {
  return !isOnPath(process.env['PATH'] ?? '') && isInstalled(process.cwd()) ? 'npx ambit' : 'ambit';
}

const NAME = process.platform === 'win32' ? 'ambit.cmd' : 'ambit';
const BIN = join('node_modules', '.bin');

/** What npm and npx put on the path for the time of one command is not there when somebody types the next. */
const isOnPath = (path: string): boolean =>
  path.split(delimiter).some((folder) => folder !== '' && !folder.endsWith(BIN) && existsSync(join(folder, NAME)));

function isInstalled(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, BIN, NAME))) return true;
    if (dirname(at) === at) return false;
  }
}
