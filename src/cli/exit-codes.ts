import type { RunOutcome } from '../index.ts';

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
