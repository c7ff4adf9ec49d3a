import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../index.ts';
import { ConfigFault, type Place } from './config-fault.ts';
import { placeOf, placeOfCall } from './locate.ts';
import { importOf, readTree } from './source-tree.ts';

/** Makes of whatever a config threw while it was loaded something that a person can act on. */
export function thrownWhileLoading(error: unknown, configFile: string): ConfigFault {
  if (Fault.is(error)) return declaredWrongly(error, configFile);
  const { code, message } = error as NodeJS.ErrnoException;
  const words = error instanceof Error ? message : String(error);
  if (code === 'ERR_MODULE_NOT_FOUND') return notFound(words, configFile, error);
  const place = placeInStack(error) ?? { file: configFile, line: 1, column: 1 };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    const fix =
      'Node.js runs TypeScript by erasing its types: write this without enum, namespace or parameter properties';
    return new ConfigFault('input_invalid', words, { place, fix, cause: error });
  }
  const what = error instanceof SyntaxError ? words : `the config threw while it was loaded: ${words}`;
  return new ConfigFault('input_invalid', what, { place, cause: error });
}

/** `tool(…)`, `agent(…)` and the like refuse what they are given by a pointer into it; the stack says which call it was. */
function declaredWrongly(fault: Fault, configFile: string): ConfigFault {
  const call = placeInStack(fault);
  const place = call === null ? { file: configFile, line: 1, column: 1 } : placeOfCall(call, fault.path ?? '');
  return new ConfigFault(fault.code, fault.message, { place, path: fault.path, cause: fault });
}

function notFound(words: string, configFile: string, cause: unknown): ConfigFault {
  const { missing = '', importer = configFile } =
    /Cannot find (?:module|package) '(?<missing>[^']+)' imported from (?<importer>.+)$/.exec(words)?.groups ?? {};
  const isPackage = !missing.startsWith('/') && !missing.startsWith('file:');
  const tree = readTree(importer);
  const node = tree === null ? null : importOf(tree, missing);
  const place = tree === null || node === null ? { file: importer, line: 1, column: 1 } : placeOf({ tree, node });
  const fix = isPackage ? `npm install ${missing}` : `write ${missing}, or mend the import`;
  return new ConfigFault('input_invalid', `${missing} cannot be found`, { place, fix, cause });
}

/** This package itself, built or as source: nothing in it is what the person has to mend. */
const PACKAGE = new URL('../../', import.meta.url).href;

/** The innermost place of this person's own code. */
function placeInStack(error: unknown): Place | null {
  if (!(error instanceof Error)) return null;
  const head = /^(?<file>file:\/\/\S+):(?<line>\d+)$/m.exec(String(error.stack).split('\n    at ')[0] ?? '')?.groups;
  if (head !== undefined) return placeAt(head['file'] ?? '', Number(head['line']), columnOf(String(error.stack)));
  for (const frame of String(error.stack).matchAll(
    /\(?(?<file>file:\/\/[^\s()]+?):(?<line>\d+):(?<column>\d+)\)?$/gm,
  )) {
    const { file = '', line, column } = frame.groups ?? {};
    if (!file.startsWith(PACKAGE) && !file.includes('/node_modules/'))
      return placeAt(file, Number(line), Number(column));
  }
  return null;
}

function placeAt(url: string, line: number, column: number): Place | null {
  const file = fileURLToPath(url.split('?')[0] ?? url);
  return existsSync(file) ? { file, line, column } : null;
}

/** Of the arrow under the line. */
function columnOf(stack: string): number {
  const arrow = stack.split('\n').find((line) => /^\s*\^+\s*$/.test(line));
  return arrow === undefined ? 1 : arrow.indexOf('^') + 1;
}
