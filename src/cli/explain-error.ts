import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Fault, type FaultCode } from '../index.ts';
import { faultRow } from '../model/index.ts';
import { CliFault, formatHint, type SourceLocation } from './cli-fault.ts';
import type { Call } from './command.ts';
import { escapeText } from './terminal/escape.ts';
import type { Paint } from './terminal/terminal.ts';

/** An error as the user sees it: code, message, source location, fix and exit code. */
export interface Explanation {
  readonly code: FaultCode;
  readonly message: string;
  readonly path: string | null;
  readonly place: SourceLocation | null;
  readonly fix: string | null;
  readonly session: string | null;
  readonly exit: number;
}

/** The next command for faults that carry no fix of their own. */
const FIXES: Readonly<Partial<Record<FaultCode, (args: Call['args']) => string>>> = {
  session_not_found: () => 'ambit sessions list',
  gate_not_found: () => 'ambit gates list',
  thread_not_found: () => 'ambit threads list',
  signature_expired: ({ gate = '<gate>' }) => `read the packet again: ambit gates show ${gate}`,
  session_driven: ({ session = '<session>' }) =>
    `ambit sessions watch ${session}, or take the session over: ambit sessions resume ${session} --take-over --reason "…" --as <name>. The other process can then no longer write to it, but calls it has already sent may still arrive`,
};

export function explainError(error: unknown, args: Call['args'] = {}): Explanation {
  if (!Fault.is(error)) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const unknown = { path: null, place: null, fix: null, session: null };
    return { code: 'internal', message, ...unknown, exit: faultRow('internal').exit };
  }
  const { code, path = null } = error;
  // Only commands in backquotes are rewritten: elsewhere `ambit` is a word of a sentence.
  const message = error.message.replaceAll(/`ambit [^`]*`/g, formatHint);
  const { place, fix, session } = error instanceof CliFault ? error : { place: null, fix: null, session: null };
  const hint = fix ?? FIXES[code]?.(args) ?? null;
  const typed = hint === null ? null : formatHint(hint);
  return { code, message, path, place, session, fix: typed, exit: faultRow(code).exit };
}

export function renderExplanation({ code, message, path, place, session, fix }: Explanation, paint: Paint): string {
  const where = place === null ? '' : `${shortenPath(place.file)}:${place.line}:${place.column}`;
  return [
    `${paint('bad', '✗')} ${paint('strong', code)}  ${escapeText(message)}`,
    ...(place === null
      ? []
      : [
          `  ${paint('quiet', 'at')} ${where}${path === null || path === '' ? '' : `  (${path})`}`,
          ...renderExcerpt(place, paint),
        ]),
    ...(session === null ? [] : [`  ${paint('quiet', 'session:')} ${session}`]),
    ...(fix === null ? [] : [`  ${paint('quiet', 'fix:')} ${fix}`]),
  ].join('\n');
}

function shortenPath(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith('..') ? file : short;
}

/** Shows the line of the error and one line on each side. */
function renderExcerpt({ file, line, column }: SourceLocation, paint: Paint): readonly string[] {
  const lines = readLines(file);
  const width = String(line + 1).length;
  return [line - 1, line, line + 1].flatMap((number) => {
    const text = lines[number - 1];
    if (text === undefined) return [];
    const shown = `${String(number).padStart(width)} │ ${escapeText(text.replaceAll('\t', '  '))}`;
    if (number !== line) return [paint('quiet', `    ${shown}`)];
    return [
      `  ${paint('bad', '▸')} ${shown}`,
      `    ${' '.repeat(width)} │ ${' '.repeat(column - 1)}${paint('bad', '^')}`,
    ];
  });
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
