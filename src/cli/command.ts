import type { Json, JsonObject, RunOutcome } from '../index.ts';
import type { CliTerminal } from './terminal/terminal.ts';

export type CompletionKind = 'session' | 'gate' | 'agent' | 'file' | 'folder';

/** A positional argument of a command. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly completion?: CompletionKind;
  readonly choices?: readonly string[];
}

/** The type of an option's value. */
export type ValueKind = 'count' | 'time' | 'cursor' | 'assignment' | 'amount' | 'json' | 'text';

/** An option, such as `--goal <text>` or `--yes`. */
export interface Flag {
  readonly flag: string;
  readonly description: string;
  readonly repeatable?: true;
  readonly choices?: readonly string[];
  /** Default: `text`. */
  readonly valueKind?: ValueKind;
  readonly completion?: CompletionKind;
}

export interface Example {
  readonly line: string;
  readonly description: string;
}

/** A row of the command table. `load` imports the action on demand, so that `--help` does not load the runtime. */
export interface Command {
  /** One word, or two for a command of a group, such as `sessions list`. */
  readonly name: string;
  readonly description: string;
  readonly args?: readonly Argument[];
  readonly flags?: readonly Flag[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<Action>;
}

/** A parsed command line, as an action receives it. */
export interface Call {
  readonly args: Readonly<Record<string, string>>;
  readonly flags: Flags;
  readonly terminal: CliTerminal;
  /** The value of `--config`. Null: the nearest `ambit.config.ts` is used. */
  readonly configFile: string | null;
}

/** The implementation of a command. It returns the exit code of the process. */
export type Action = (call: Call) => Promise<number>;

export type Flags = Readonly<Record<string, unknown>>;

/** Returns a positional argument, or '' if it is optional and absent. */
export const argument = ({ args }: Call, name: string): string => args[name] ?? '';

export function readTextFlag(flags: Flags, name: string): string | null {
  const value = flags[name];
  return typeof value === 'string' ? value : null;
}

/** The goal of a request. The API calls it `message`, so both names work. */
export const readGoal = (flags: Flags): string | null => readTextFlag(flags, 'goal') ?? readTextFlag(flags, 'message');

export function readNumberFlag(flags: Flags, name: string): number | null {
  const value = flags[name];
  return typeof value === 'number' ? value : null;
}

/** Collects repeated `name=value` options, such as `order_id=ord_881` and `items=[1,2]`. */
export const readAssignmentFlags = (flags: Flags, name: string): JsonObject =>
  Object.fromEntries((flags[name] ?? []) as readonly (readonly [string, Json])[]);

export function readListFlag(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export const isFlagSet = (flags: Flags, name: string): boolean => flags[name] === true;

/** Exit codes besides those of the fault table. `docs/reference/cli.md` is generated from this table. */
export const EXITS = {
  done: { exit: 0, meaning: 'Success: a run completed, or a check found no problem.' },
  found: { exit: 1, meaning: 'A check found a problem: a difference, a broken chain or a `doctor` finding.' },
  waiting: { exit: 8, meaning: 'The run waits for a person. The hint names the next command.' },
  ended_otherwise: { exit: 9, meaning: 'The run ended but did not complete.' },
  interrupted: { exit: 130, meaning: 'Ctrl-C interrupted the command. The journal keeps what it already recorded.' },
} as const;

export type ExitName = keyof typeof EXITS;

export const getExitCode = (name: ExitName): number => EXITS[name].exit;

export function getRunExitCode({ status, terminalCode }: Pick<RunOutcome, 'status' | 'terminalCode'>): number {
  if (terminalCode === null) return getExitCode('waiting');
  return getExitCode(status === 'completed' ? 'done' : 'ended_otherwise');
}
