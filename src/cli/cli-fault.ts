import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Fault, type FaultCode } from '../model/index.ts';

/** A position in a source file of the user. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface FaultDetails {
  readonly place?: SourceLocation | null;
  /** The next command or the correction. */
  readonly fix?: string | null;
  /** The session that had started when the fault occurred. */
  readonly session?: string | null;
  readonly path?: string | undefined;
  readonly cause?: unknown;
}

/** A fault with details that only the command line knows: the source location, the fix and the session. */
export class CliFault extends Fault {
  readonly place: SourceLocation | null;
  readonly fix: string | null;
  readonly session: string | null;

  constructor(code: FaultCode, message: string, details: FaultDetails) {
    super(code, message, {
      ...(details.path === undefined ? {} : { path: details.path }),
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
    this.place = details.place ?? null;
    this.fix = details.fix ?? null;
    this.session = details.session ?? null;
  }
}

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
