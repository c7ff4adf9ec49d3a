import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Writes `ambit …` in a hint as `npx ambit …` if the shell finds no `ambit` but the project has one installed. */
export const formatHint = (hint: string): string => hint.replaceAll(COMMAND, `${findCommandName()} `);

const COMMAND = /(?<!npx )\bambit (?=[a-z])/g;

function findCommandName(): string {
  return !isOnPath(process.env['PATH'] ?? '') && isInstalled(process.cwd()) ? 'npx ambit' : 'ambit';
}

const NAME = process.platform === 'win32' ? 'ambit.cmd' : 'ambit';
const BIN = join('node_modules', '.bin');

/** Ignores `node_modules/.bin`, which npm and npx add to the path for one command only. */
const isOnPath = (path: string): boolean =>
  path.split(delimiter).some((folder) => folder !== '' && !folder.endsWith(BIN) && existsSync(join(folder, NAME)));

function isInstalled(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, BIN, NAME))) return true;
    if (dirname(at) === at) return false;
  }
}
