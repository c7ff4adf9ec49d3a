import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Fault, type FaultCode } from '../index.ts';
import { faultRow } from '../model/index.ts';
import { AdvisedFault } from './advised-fault.ts';
import { asTyped } from './as-typed.ts';
import { ConfigFault, type Place } from './config/config-fault.ts';
import { StartedFault } from './started-fault.ts';
import { printed } from './terminal/printed.ts';
import type { Paint } from './terminal/terminal.ts';

/** Why something could not be done, where it stands and what to do about it. */
export interface Explained {
  readonly code: FaultCode;
  readonly message: string;
  readonly path: string | null;
  readonly place: Place | null;
  readonly fix: string | null;
  /** The session that it happened to, where one had begun. */
  readonly session: string | null;
  readonly exit: number;
}

/** What to type next, for faults whose message does not say. */
const NEXT: Readonly<Partial<Record<FaultCode, (typed: Typed) => string>>> = {
  session_not_found: () => 'ambit sessions list',
  gate_not_found: () => 'ambit gates list',
  signature_expired: ({ gate = '<gate>' }) => `look at the packet again: ambit gates show ${gate}`,
  session_driven: ({ session = '<session>' }) =>
    `ambit sessions watch ${session}, or take it from that process, which can then write nothing more to it, while what it has sent may still arrive: ambit sessions resume ${session} --take-over --reason "…" --as <name>`,
};

/** The words of the command, by name. */
type Typed = Readonly<Record<string, string>>;

export function explain(error: unknown, typed: Typed = {}): Explained {
  if (!Fault.is(error)) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const unknown = { path: null, place: null, fix: null, session: null };
    return { code: 'internal', message, ...unknown, exit: faultRow('internal').exit };
  }
  const { code, message, path = null } = error;
  const place = error instanceof ConfigFault ? error.place : null;
  const fixed = error instanceof ConfigFault || error instanceof StartedFault || error instanceof AdvisedFault;
  const fix = fixed ? error.fix : null;
  const session = error instanceof StartedFault ? error.session : null;
  const hint = fix ?? NEXT[code]?.(typed) ?? null;
  const way = hint === null ? null : asTyped(hint);
  return { code, message, path, place, session, fix: way, exit: faultRow(code).exit };
}

export function explainedView({ code, message, path, place, session, fix }: Explained, paint: Paint): string {
  const where = place === null ? '' : `${shortName(place.file)}:${place.line}:${place.column}`;
  return [
    `${paint('bad', '✗')} ${paint('strong', code)}  ${printed(message)}`,
    ...(place === null
      ? []
      : [
          `  ${paint('quiet', 'at')} ${where}${path === null || path === '' ? '' : `  (${path})`}`,
          ...excerpt(place, paint),
        ]),
    ...(session === null ? [] : [`  ${paint('quiet', 'session:')} ${session}`]),
    ...(fix === null ? [] : [`  ${paint('quiet', 'fix:')} ${fix}`]),
  ].join('\n');
}

function shortName(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith('..') ? file : short;
}

/** The line that is meant, and one on each side. */
function excerpt({ file, line, column }: Place, paint: Paint): readonly string[] {
  const lines = linesOf(file);
  const width = String(line + 1).length;
  return [line - 1, line, line + 1].flatMap((number) => {
    const text = lines[number - 1];
    if (text === undefined) return [];
    const shown = `${String(number).padStart(width)} │ ${printed(text.replaceAll('\t', '  '))}`;
    if (number !== line) return [paint('quiet', `    ${shown}`)];
    return [
      `  ${paint('bad', '▸')} ${shown}`,
      `    ${' '.repeat(width)} │ ${' '.repeat(column - 1)}${paint('bad', '^')}`,
    ];
  });
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
