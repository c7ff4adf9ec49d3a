import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../index.ts';
import { CliFault, type SourceLocation } from '../cli-fault.ts';
import { locateCall, locateNode } from './locate-path.ts';
import { findImport, readSourceTree } from './source-tree.ts';

/** Turns an error from loading a config into a fault with a location and a fix. */
export function explainLoadError(error: unknown, configFile: string): CliFault {
  if (Fault.is(error)) return explainDeclarationFault(error, configFile);
  const { code, message } = error as NodeJS.ErrnoException;
  const text = error instanceof Error ? message : String(error);
  if (code === 'ERR_MODULE_NOT_FOUND') return explainMissingModule(text, configFile, error);
  const place = locateInStack(error) ?? { file: configFile, line: 1, column: 1 };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    const fix = 'Node.js only strips types: do not use enum, namespace or parameter properties';
    return new CliFault('input_invalid', text, { place, fix, cause: error });
  }
  const reason = error instanceof SyntaxError ? text : `the config threw an error while loading: ${text}`;
  return new CliFault('input_invalid', reason, { place, cause: error });
}

/** Locates a fault of `tool(…)` or `agent(…)`: its path points into the argument, its stack names the call. */
function explainDeclarationFault(fault: Fault, configFile: string): CliFault {
  const call = locateInStack(fault);
  const place = call === null ? { file: configFile, line: 1, column: 1 } : locateCall(call, fault.path ?? '');
  return new CliFault(fault.code, fault.message, { place, path: fault.path, cause: fault });
}

function explainMissingModule(message: string, configFile: string, cause: unknown): CliFault {
  const { missing = '', importer = configFile } =
    /Cannot find (?:module|package) '(?<missing>[^']+)' imported from (?<importer>.+)$/.exec(message)?.groups ?? {};
  const isPackage = !missing.startsWith('/') && !missing.startsWith('file:');
  const tree = readSourceTree(importer);
  const node = tree === null ? null : findImport(tree, missing);
  const place = tree === null || node === null ? { file: importer, line: 1, column: 1 } : locateNode({ tree, node });
  const fix = isPackage ? `npm install ${missing}` : `create ${missing}, or correct the import`;
  return new CliFault('input_invalid', `cannot find ${missing}`, { place, fix, cause });
}

/** The root of this package. Stack frames inside it are not the user's code. */
const PACKAGE_URL = new URL('../../', import.meta.url).href;

/** Locates the innermost stack frame in the user's code. */
function locateInStack(error: unknown): SourceLocation | null {
  if (!(error instanceof Error)) return null;
  const head = /^(?<file>file:\/\/\S+):(?<line>\d+)$/m.exec(String(error.stack).split('\n    at ')[0] ?? '')?.groups;
  if (head !== undefined) return toLocation(head['file'] ?? '', Number(head['line']), findColumn(String(error.stack)));
  for (const frame of String(error.stack).matchAll(
    /\(?(?<file>file:\/\/[^\s()]+?):(?<line>\d+):(?<column>\d+)\)?$/gm,
  )) {
    const { file = '', line, column } = frame.groups ?? {};
    if (!file.startsWith(PACKAGE_URL) && !file.includes('/node_modules/'))
      return toLocation(file, Number(line), Number(column));
  }
  return null;
}

function toLocation(url: string, line: number, column: number): SourceLocation | null {
  const file = fileURLToPath(url.split('?')[0] ?? url);
  return existsSync(file) ? { file, line, column } : null;
}

/** Finds the column of the `^` under the source line of a syntax error. */
function findColumn(stack: string): number {
  const arrow = stack.split('\n').find((line) => /^\s*\^+\s*$/.test(line));
  return arrow === undefined ? 1 : arrow.indexOf('^') + 1;
}
